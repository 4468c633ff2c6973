#include "neural/tagging.hpp"

#include <utility>

#include "support/parallel.hpp"

namespace arbora::neural {
namespace {

using treebank::AnnotatedSentence;
using treebank::Row;

// The best of the rows of tags that agree with what is given, or of all.
class RowChooser {
public:
    RowChooser(const TagHeads& heads, const LabelsByName& by_name) : heads_(heads), by_name_(by_name) {}

    int best(const float* scores, const GivenTags& given) {
        const auto score_of = [&](int row) {
            const TagHeads::RowColumns& own = heads_.rows[row];
            return scores[own.upos] + scores[own.xpos] + scores[own.feats];
        };
        if (given.upos == "_" && given.xpos == "_" && given.feats == "_") return best_of_all(score_of);
        by_name_.find_upos(given, upos_);
        int found = -1;
        for (std::uint16_t upos : upos_) {
            by_name_.find_morph(given, upos, rows_);
            for (std::uint16_t row : rows_)
                if (heads_.rows[row].upos == upos && (found < 0 || score_of(row) > score_of(found))) found = row;
            if (!rows_.empty()) continue;
            for (int row = 0; row < static_cast<int>(heads_.rows.size()); ++row)
                if (heads_.rows[row].upos == upos && (found < 0 || score_of(row) > score_of(found))) found = row;
        }
        return found < 0 ? best_of_all(score_of) : found;
    }

private:
    template <class Score>
    int best_of_all(const Score& score_of) const {
        int found = 0;
        for (int row = 1; row < static_cast<int>(heads_.rows.size()); ++row)
            if (score_of(row) > score_of(found)) found = row;
        return found;
    }

    const TagHeads& heads_;
    const LabelsByName& by_name_;
    std::vector<std::uint16_t> upos_, rows_;
};

}  // namespace

void tag(const NeuralModel& model, std::shared_ptr<const TagNames> names, const States& states, bool keep, int threads,
         treebank::Batch& batch) {
    const TagHeads& heads = *model.tags;
    const LabelsByName by_name(*names);
    parallel_for(batch.sentences.size(), threads, [&](std::size_t i) {
        AnnotatedSentence& sentence = batch.sentences[i];
        if (!sentence.words() || states.length(i) != static_cast<int>(sentence.words())) return;
        const std::size_t columns = heads.scores.out();
        std::vector<float> scores(sentence.words() * columns);
        heads.scores.apply(states.rows(i).data() + states.width(), sentence.words(), scores.data());
        RowChooser chooser(heads, by_name);
        for (std::size_t word = 0; word < sentence.words(); ++word) {
            Row& row = sentence.block.words[word];
            const auto given = keep ? GivenTags{row[3], row[4], row[5]} : GivenTags{};
            const int found = chooser.best(scores.data() + word * columns, given);
            const auto set = [&](int column, std::string_view value) {
                if (!keep || row[column] == "_") row[column] = value;
            };
            set(3, names->upos[heads.rows[found].upos]);
            set(4, names->xpos[found]);
            set(5, names->feats[found]);
        }
    });
    batch.owners.push_back(std::move(names));
}

}  // namespace arbora::neural
