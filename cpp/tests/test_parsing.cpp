// From columns to trees in the core, where the sanitizers see it. Agreement with enumeration is tested from Python;
// here results are tested against each other.
#include "parsing/stream.hpp"
#include "small_parsers.hpp"

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

TEST(parsing_from_text_to_text) {
    Random random(6);
    const auto row = [](const std::string& id, const std::string& tree) {
        return id + "\tdog\tdog\tNOUN\t_\t_\t" + tree + "\t1:x\tA=1|HeadProbability=9\n";
    };
    const std::string some =
        "# c\n" + row("1-2", "_\t_") + row("1", "2\tx") + row("2", "_\tb") + row("2.1", "_\t_") + "\n";
    const std::string none = "# no words\r\n\r\n", cycle = row("1", "2\tx") + row("2", "1\tx") + "\n";
    const std::string two_roots = row("1", "0\ta") + row("2", "0\ta") + "\n";
    const Names labels({"a", "b"});
    const auto joined = [](const treebank::RewrittenText& parsed) {
        std::string all;
        for (const std::string& sentence : parsed.sentences) all += sentence;
        return all;
    };
    for (const Model& model : all_models(2, random)) {
        const auto run = [&](const std::string& text, bool final, bool constraints, int threads) {
            const std::vector<char> exact(text.begin(), text.end());
            return parse_conllu(model.parser(), labels, Names({}), {exact.data(), exact.size()}, final,
                                {{{true, false}, Decoder::best, constraints}, constraints, threads});
        };
        for (int threads : {1, 3}) {
            const treebank::RewrittenText whole = run(some + none + some, true, false, threads);
            CHECK(whole.sentences.size() == 3 && whole.words == 4 && whole.lines == 14 && !whole.stopped);
            CHECK(whole.bytes == 2 * some.size() + none.size());
            CHECK(whole.sentences[0] == whole.sentences[2] && whole.sentences[1] == none);
            CHECK(run(some + none + some, false, false, threads).sentences.size() == 2);
            for (const std::string& bad : {cycle, two_roots}) {
                const treebank::RewrittenText part = run(some + bad + cycle, true, true, threads);
                CHECK(part.stopped && part.bytes == some.size() && part.lines == 6 && part.sentences.size() == 1);
                CHECK(part.refused_because.empty() == (bad == cycle));
                CHECK(joined(part).find("\t2\tx\t_\tA=1|HeadProbability=") != std::string::npos);
                CHECK(joined(part).find("# c\n# tree_log_probability = ") == 0);
            }
        }
        CHECK(run("", true, true, 2).sentences.empty());
    }
}

TEST(parsing_chooses_tags_from_text_to_text) {
    Random random(8);
    const Names labels({"a", "b"}), tags({"A", "B"});
    const auto word = [](const std::string& id, const std::string& misc) {
        return id + "\tdog\tdog\tX\t_\t_\t_\t_\t_\t" + misc + "\n";
    };
    const std::string text = word("1", "UposCandidates=B:1") + word("2-3", "K=1|UposCandidates=B:1") +
                             word("2", "K=1|UposCandidates=A:0.5|L") + word("3", "K=1|UposCandidates=;B:x") + "\n";
    for (const Model& model : all_models(2, random)) {
        if (model.higher.tags().tags() != tags.count()) continue;
        for (bool probabilities : {false, true}) {
            const auto found = parse_conllu(model.parser(), labels, tags, text, true,
                                            {{{true, false}, Decoder::best, probabilities}, false, 2});
            CHECK(found.sentences.size() == 1 && found.words == 3);
            const std::string& own = found.sentences[0];
            CHECK(own.find("1\tdog\tdog\tB\t_") != own.npos && own.find("2\tdog\tdog\tA\t_") != own.npos);
            CHECK(own.find("2-3\tdog\tdog\tX\t_\t_\t_\t_\t_\tK=1|UposCandidates=B:1\n") != own.npos);
            CHECK(own.find("3\tdog\tdog\tX\t_\t_\t_\t") == own.rfind("3\tdog\tdog\tX"));  // the range only
            const std::string misc = probabilities ? "|UposProbability=1.0000|HeadProbability=" : "\n";
            CHECK(own.find("\tK=1|L" + misc) != own.npos);
            CHECK(probabilities || own.find("\t_\n2-3") != own.npos);
        }
    }
}
