// Scores as arrays in the core, where the sanitizers see them: fed what a linear model scores, they give the same trees.
// Losses and their slopes are tested from Python.
#include "parsing/array_loss.hpp"
#include "small_parsers.hpp"

using namespace arbora;

namespace {

// The scores of one sentence by a linear scorer, as arrays of exactly their size.
struct Copied {
    int n;
    std::vector<double> arcs, tags, links, bigrams, trigrams;
    std::array<std::vector<int>, part_kind_count> words, codes;
    PartNumbers<double> scores;

    Copied(const LinearScorer& scorer, std::size_t sentence, TreeKind kind, ArcTotal which)
        : n(scorer.length(sentence)) {
        const auto own = scorer.begin(sentence);
        const ScoreKinds kinds = scorer.kinds();
        const std::vector<Arc> listed = own->choose({}, kind, nullptr);
        ArcTotals totals;
        own->score_arcs(listed, nullptr, which, totals);
        const std::size_t width = n + 1, count = kinds.tags;
        arcs.assign(width * width, impossible);
        const std::vector<double>& chosen = which == ArcTotal::sums ? totals.sums : totals.best;
        for (std::size_t a = 0; a < listed.size(); ++a) arcs[listed[a].head * width + listed[a].modifier] = chosen[a];
        SentenceParts parts;
        own->score_parts(listed, parts);
        for (int k = 0; k < part_kind_count; ++k)
            for (std::size_t i = 0; i < parts.parts[k].size(); ++i) {
                const Part& part = parts.parts[k][i];
                words[k].insert(words[k].end(), {part.head, part.modifier, part.third, part.fourth});
                codes[k].push_back(part_kind(k).code(part));
                scores[k].push_back(kinds.part_scale * parts.scores[k][i]);
            }
        if (!count) return;
        parts.tags.multiply(kinds.part_scale);
        tags.assign(width * count, impossible);
        links.assign(width * width * count * count, 0);
        if (parts.tags.has_chain()) bigrams.assign(width * count * count, 0);
        if (!parts.tags.trigrams.empty()) trigrams.assign(width * count * count * count, 0);
        const auto tag = [&](int word, int place) { return static_cast<std::size_t>(own->tag_at(word, place)); };
        const auto for_pairs = [&](int first, int second, auto each) {
            for (int t = 0; t < parts.tags.count(first); ++t)
                for (int u = 0; u < parts.tags.count(second); ++u) each(tag(first, t) * count + tag(second, u));
        };
        std::size_t bigram = 0, trigram = 0;
        for (int word = 1; word <= n; ++word) {
            for (int t = 0; t < parts.tags.count(word); ++t)
                tags[word * count + tag(word, t)] = parts.tags.of_word(word)[t];
            if (word > 1 && !bigrams.empty())
                for_pairs(word - 1, word,
                          [&](std::size_t at) { bigrams[word * count * count + at] = parts.tags.bigrams[bigram++]; });
            for (int s = 0; word > 2 && !trigrams.empty() && s < parts.tags.count(word - 2); ++s)
                for_pairs(word - 1, word, [&](std::size_t at) {
                    trigrams[(word * count + tag(word - 2, s)) * count * count + at] = parts.tags.trigrams[trigram++];
                });
        }
        for (std::size_t a = 0; a < listed.size(); ++a) {
            const double* next = parts.tags.of_link(static_cast<int>(a));
            if (const auto [head, modifier] = listed[a]; head)
                for_pairs(head, modifier,
                          [&](std::size_t at) { links[(head * width + modifier) * count * count + at] = *next++; });
        }
    }

    ArraySentence sentence() const {
        ArraySentence result;
        const auto data = [](const std::vector<double>& own) { return own.empty() ? nullptr : own.data(); };
        result.n = n;
        result.width = n + 1;
        result.scores.arcs = data(arcs);
        result.scores.tags = data(tags);
        result.scores.tag_links = data(links);
        result.scores.tag_bigrams = data(bigrams);
        result.scores.tag_trigrams = data(trigrams);
        for (int k = 0; k < part_kind_count; ++k) {
            result.parts[k] = {words[k].data(), codes[k].data(), codes[k].size()};
            result.scores.parts[k] = scores[k].data();
        }
        return result;
    }

    ArrayShape shape(int tag_count) const {
        ArrayShape result;
        result.tags = tag_count;
        for (int k = 0; k < part_kind_count; ++k) result.parts[k] = !codes[k].empty();
        return result;
    }
};

bool is_near(double a, double b) { return std::abs(a - b) <= 1e-9; }

}  // namespace

TEST(arrays_give_the_trees_of_a_linear_model) {
    Random random(21);
    GraphOptions few;
    few.iterations = 15;
    for (const Model& model : all_models(3, random)) {
        const Encoded encoded = draw_sentences(7, random);
        const LinearParser parser = model.parser();
        const LinearScorer scorer(parser, encoded);
        const int tag_count = scorer.kinds().tags;
        for (std::size_t s = 1; s < encoded.sentences(); ++s)
            for (const TreeKind kind : {TreeKind{true, false}, TreeKind{false, false}, TreeKind{true, true}}) {
                const std::size_t width = encoded.length(s) + 1;
                const Copied sums(scorer, s, kind, ArcTotal::sums), best(scorer, s, kind, ArcTotal::best);
                const ArrayScorer by_sums(sums.shape(tag_count), {sums.sentence()});
                const ArrayScorer by_best(best.shape(tag_count), {best.sentence()});
                std::vector<int> heads(width), labels(width), same(width), tags(width), same_tags(width);
                std::vector<double> sure(width), of_labels(width), same_sure(width);
                ParseRef native{heads.data(), labels.data(), sure.data(), of_labels.data(), 0};
                ParseRef array{same.data(), labels.data(), same_sure.data(), of_labels.data(), 0};
                if (tag_count) native.tags = tags.data(), array.tags = same_tags.data();
                const ParseOptions plain{kind, Decoder::best, false, few};
                parse(scorer, s, {}, plain, native);
                parse(by_best, 0, {}, plain, array);
                if (!tag_count) CHECK(heads == same && is_near(native.value, array.value));
                const ParseOptions summed{kind, Decoder::best, true, few};
                parse(scorer, s, {}, summed, native);
                parse(by_sums, 0, {native.heads}, summed, array);  // the same tree
                CHECK(heads == same);
                CHECK(tags == same_tags);
                std::vector<double> table(width * width), same_table(width * width), ignored(width * 3);
                native.head_table = table.data();
                native.label_table = ignored.data();
                array.head_table = same_table.data();
                parse(scorer, s, {}, summed, native);
                parse(by_sums, 0, {}, summed, array);
                for (std::size_t c = 0; c < table.size(); ++c) CHECK(is_near(table[c], same_table[c]));
            }
    }
}

TEST(array_losses_have_gradients_of_their_own_arrays) {
    Random random(22);
    for (const Model& model : all_models(2, random)) {
        const Encoded encoded = draw_sentences(6, random);
        const LinearParser parser = model.parser();
        const LinearScorer scorer(parser, encoded);
        const ScoreKinds kinds = scorer.kinds();
        for (std::size_t s = 1; s < encoded.sentences(); ++s) {
            const Copied own(scorer, s, {true, false}, ArcTotal::sums);
            const ArrayScorer arrays(own.shape(kinds.tags), {own.sentence()});
            std::vector<int> heads(own.n + 1), labels(own.n + 1), tags(own.n + 1, 0);
            ParseRef found{heads.data(), labels.data(), nullptr, nullptr, 0};
            found.tags = kinds.tags ? tags.data() : nullptr;
            GraphOptions graph;
            graph.iterations = 15;
            parse(arrays, 0, {}, {{true, false}, Decoder::best, false, graph}, found);
            Copied gradient = own;
            for (std::vector<double>* each :
                 {&gradient.arcs, &gradient.tags, &gradient.links, &gradient.bigrams, &gradient.trigrams})
                std::fill(each->begin(), each->end(), 0.0);
            ScoreArrays<double> places;
            const auto data = [](std::vector<double>& numbers) { return numbers.empty() ? nullptr : numbers.data(); };
            places.arcs = data(gradient.arcs);
            places.tags = data(gradient.tags);
            places.tag_links = data(gradient.links);
            places.tag_bigrams = data(gradient.bigrams);
            places.tag_trigrams = data(gradient.trigrams);
            for (int k = 0; k < part_kind_count; ++k) {
                std::fill(gradient.scores[k].begin(), gradient.scores[k].end(), 0.0);
                places.parts[k] = gradient.scores[k].data();
            }
            const GoldTree gold{heads.data(), nullptr, kinds.tags ? tags.data() : nullptr};
            const double loss = differentiate(arrays, 0, gold, {{1, 0}, {true, false}, graph}, places);
            CHECK(std::isfinite(loss));
            // Every word has one head in both sums that the gradient compares.
            for (int m = 1; m <= own.n; ++m) {
                double total = 0;
                for (int h = 0; h <= own.n; ++h) total += gradient.arcs[h * (own.n + 1) + m];
                CHECK(std::abs(total) <= 1e-6);
            }
        }
    }
}
