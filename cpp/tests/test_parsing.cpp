// From columns to trees in the core, where the sanitizers see it. Agreement with enumeration is tested from Python;
// here results are tested against each other.
#include "parsing/annotate.hpp"
#include "small_parsers.hpp"
#include "treebank/rendering.hpp"

using namespace arbora;

TEST(parsing_trees_and_candidates) {
    Random random(3);
    GraphOptions few;  // sentences of random scores are seldom proved, however long one looks
    few.iterations = 15;
    for (int labels : {1, 3, 8})
        for (const Model& model : all_models(labels, random)) {
            const Encoded encoded = draw_sentences(12, random);
            const LinearParser parser = model.parser();
            const LinearScorer scorer(parser, encoded);
            for (std::size_t s = 0; s < encoded.sentences(); ++s)
                for (const TreeKind kind : {TreeKind{true, false}, TreeKind{false, false}, TreeKind{true, true}}) {
                    const int n = encoded.length(s);
                    std::vector<int> heads(n + 1, -1), found(n + 1, -1);
                    std::vector<double> of_heads(n + 1), of_labels(n + 1);
                    ParseRef result{heads.data(), found.data(), of_heads.data(), of_labels.data(), 0};
                    std::vector<int> tags(n + 1, -1);
                    std::vector<double> of_tags(n + 1);
                    result.tag_probabilities = of_tags.data();
                    if (model.higher.tags().tags()) result.tags = tags.data();
                    for (Decoder decoder : {Decoder::best, Decoder::least_risk}) {
                        parse(scorer, s, {}, {kind, decoder, true, few}, result);
                        CHECK(is_tree(heads, kind.single_root));
                        CHECK(model.higher.has_parts() || result.log_probability <= 1e-9);
                        for (int m = 1; m <= n; ++m) {
                            CHECK(found[m] >= 0 && found[m] < labels);
                            CHECK(of_heads[m] > 0 && of_heads[m] <= 1 + 1e-9);
                            CHECK(of_labels[m] > 0 && of_labels[m] <= 1 + 1e-9);
                            CHECK(!result.tags || (tags[m] >= 0 && tags[m] < model.higher.tags().tags()));
                            CHECK(!result.tags || (of_tags[m] > 0 && of_tags[m] <= 1 + 1e-9));
                        }
                    }
                    const auto ranked = parse_kbest(scorer, s, {}, {kind, Decoder::best, true, few}, 4);
                    CHECK(!ranked.empty() && ranked.size() <= 4);
                    for (std::size_t t = 1; t < ranked.size(); ++t) CHECK(ranked[t].score <= ranked[t - 1].score);
                    if (n == 0) continue;
                    Prepared prepared;
                    prepared.set(model.templates, encoded, s, ~0u);
                    std::vector<int> also(n + 1);
                    for (int m = 1; m <= n; ++m) also[m] = m - 1;
                    Candidates candidates;
                    candidates.arcs =
                        model.pruner.choose(prepared, model.pruner_weights.table(), {}, kind, also.data());
                    for (int m = 1; m <= n; ++m) CHECK(candidates.find(m - 1, m) < candidates.arcs.size());
                }
        }
}

TEST(parsing_keeps_what_is_given) {
    Random random(4);
    for (const Model& model : all_models(2, random)) {
        const Encoded encoded = draw_sentences(8, random);
        const LinearParser parser = model.parser();
        const LinearScorer scorer(parser, encoded);
        for (std::size_t s = 1; s < encoded.sentences(); ++s) {
            const int n = encoded.length(s);
            std::vector<int> given(n + 1, -1), labels(n + 1, -1), heads(n + 1), found(n + 1);
            given[1] = n > 1 ? 2 : 0;
            labels[n] = 1;
            ParseRef result{heads.data(), found.data(), nullptr, nullptr, 0};
            parse(scorer, s, {given.data(), labels.data()}, {{true, false}, Decoder::best}, result);
            CHECK(heads[1] == given[1] && found[n] == 1 && is_tree(heads, true));
            if (n < 2) continue;
            given[2] = 1;  // a cycle
            bool thrown = false;
            try {
                parse(scorer, s, {given.data(), nullptr}, {{true, false}, Decoder::best}, result);
            } catch (const Infeasible&) {
                thrown = true;
            }
            CHECK(thrown);
        }
    }
}

namespace {

std::shared_ptr<const ParserNames> names(const std::vector<std::string>& tags) {
    return std::shared_ptr<const ParserNames>(new ParserNames{Names({"a", "b"}), Names(tags)});
}

// What was read, with trees, and the text of the sentences before the first that was refused.
struct Parsed {
    treebank::ReadBatch read;
    std::vector<std::string> texts;
};

// The text has exactly its size, so that the sanitizer sees a read beyond its end.
Parsed parsed(const Model& model, const std::vector<std::string>& tags, const std::string& text, bool final,
              const AnnotationOptions& options) {
    const auto exact = std::make_shared<const std::vector<char>>(text.begin(), text.end());
    Parsed result{
        treebank::read_conllu({exact->data(), exact->size()}, exact, {.final = final, .threads = options.threads}), {}};
    annotate(model.parser(), names(tags), options, result.read.batch);
    for (std::size_t i = 0; i < result.read.batch.sound(); ++i)
        treebank::append_conllu(result.read.batch.sentences[i], result.texts.emplace_back());
    return result;
}

}  // namespace

TEST(parsing_from_text_to_text) {
    Random random(6);
    const auto row = [](const std::string& id, const std::string& tree) {
        return id + "\tdog\tdog\tNOUN\t_\t_\t" + tree + "\t1:x\tA=1|HeadProbability=9\n";
    };
    const std::string some =
        "# c\n" + row("1-2", "_\t_") + row("1", "2\tx") + row("2", "_\tb") + row("2.1", "_\t_") + "\n";
    const std::string none = "# no words\r\n\r\n", cycle = row("1", "2\tx") + row("2", "1\tx") + "\n";
    const std::string two_roots = row("1", "0\ta") + row("2", "0\ta") + "\n";
    for (const Model& model : all_models(2, random)) {
        const auto run = [&](const std::string& text, bool final, bool constraints, int threads) {
            return parsed(model, {}, text, final, {{{true, false}, Decoder::best, constraints}, constraints, threads});
        };
        for (int threads : {1, 3}) {
            const Parsed whole = run(some + none + some, true, false, threads);
            CHECK(whole.texts.size() == 3 && whole.read.batch.words() == 4 && whole.read.next.line == 15);
            CHECK(whole.read.broken.empty() && whole.read.bytes == 2 * some.size() + none.size());
            CHECK(whole.texts[0] == whole.texts[2] && whole.texts[1] == none);
            CHECK(run(some + none + some, false, false, threads).texts.size() == 2);
            for (const std::string& bad : {cycle, two_roots}) {
                const Parsed part = run(some + bad + cycle, true, true, threads);
                CHECK(!part.read.broken.empty() && part.read.batch.sound() == 1);
                CHECK((part.read.batch.sentences.size() == 1) == (bad == cycle));
                CHECK(bad == cycle || part.read.batch.sentences[1].refusal.code == std::string("infeasible"));
                CHECK(part.texts[0].find("\t2\tx\t1:x\tA=1|HeadProbability=") != std::string::npos);
                CHECK(part.texts[0].find("# c\n# tree_log_probability = ") == 0);
            }
        }
        CHECK(run("", true, true, 2).texts.empty());
    }
}

TEST(parsing_gives_every_one_of_the_best_trees_a_sentence) {
    Random random(7);
    const std::string text = "1\tdog\tdog\tNOUN\t_\t_\t_\t_\t_\t_\n2\tdog\tdog\tNOUN\t_\t_\t_\t_\t_\t_\n\n# none\n\n";
    for (const Model& model : all_models(2, random)) {
        treebank::Batch ranked;
        {
            treebank::ReadBatch read = treebank::read_conllu(text, nullptr, {});
            ranked = annotate_kbest(model.parser(), names({}), {{{true, false}, Decoder::best, true}}, 3, read.batch);
        }
        CHECK(ranked.sentences.size() == 4);
        for (int rank = 1; rank <= 3; ++rank) {
            std::string own;
            treebank::append_conllu(ranked.sentences[rank - 1], own);
            CHECK(own.find("# kbest_rank = " + std::to_string(rank) + "\n# tree_log_probability = ") == 0);
        }
        CHECK(ranked.sentences[3].notes.empty());
    }
}

TEST(parsing_chooses_tags_from_text_to_text) {
    Random random(8);
    const auto word = [](const std::string& id, const std::string& misc) {
        return id + "\tdog\tdog\tX\t_\t_\t_\t_\t_\t" + misc + "\n";
    };
    const std::string text = word("1", "UposCandidates=B:1") + word("2-3", "K=1|UposCandidates=B:1") +
                             word("2", "K=1|UposCandidates=A:0.5|L") + word("3", "K=1|UposCandidates=;B:x") + "\n";
    for (const Model& model : all_models(2, random)) {
        if (model.higher.tags().tags() != 2) continue;
        for (bool probabilities : {false, true}) {
            const Parsed found =
                parsed(model, {"A", "B"}, text, true, {{{true, false}, Decoder::best, probabilities}, false, 2});
            CHECK(found.texts.size() == 1 && found.read.batch.words() == 3);
            const std::string& own = found.texts[0];
            CHECK(own.find("1\tdog\tdog\tB\t_") != own.npos && own.find("2\tdog\tdog\tA\t_") != own.npos);
            CHECK(own.find("2-3\tdog\tdog\tX\t_\t_\t_\t_\t_\tK=1|UposCandidates=B:1\n") != own.npos);
            CHECK(own.find("3\tdog\tdog\tX\t_\t_\t_\t") == own.rfind("3\tdog\tdog\tX"));  // the range only
            const std::string misc = probabilities ? "|UposProbability=1.0000|HeadProbability=" : "\n";
            CHECK(own.find("\tK=1|L" + misc) != own.npos);
            CHECK(probabilities || own.find("\t_\n2-3") != own.npos);
        }
    }
}
