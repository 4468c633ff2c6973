#include "treebank/batch.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "support/parallel.hpp"

namespace arbora::treebank {
namespace {

// The vector's last item is this one; another of the same name is gone.
template <class Named>
void replace(std::vector<Named>& all, Named item) {
    std::erase_if(all, [&](const Named& other) { return other.name == item.name; });
    all.push_back(std::move(item));
}

}  // namespace

AnnotatedSentence AnnotatedSentence::copy() const {
    AnnotatedSentence result = *this;
    result.texts = std::make_shared<TextArena>();
    result.owners.push_back(texts);
    return result;
}

void AnnotatedSentence::add_numbers(std::string_view name, std::vector<double> values) {
    replace(numbers, WordNumbers{name, std::move(values)});
}

void AnnotatedSentence::add_note(Note note) { replace(notes, note); }

std::size_t Batch::words(std::size_t count) const {
    std::size_t total = 0;
    for (std::size_t i = 0; i < std::min(count, sentences.size()); ++i) total += sentences[i].words();
    return total;
}

std::size_t Batch::sound() const {
    const auto refused = [](const AnnotatedSentence& sentence) { return sentence.refusal.code != nullptr; };
    return static_cast<std::size_t>(std::find_if(sentences.begin(), sentences.end(), refused) - sentences.begin());
}

ReadBatch read_conllu(std::string_view text, std::shared_ptr<const void> owner, bool final, int threads) {
    std::vector<Extent> extents;
    std::vector<std::string_view> texts;
    while (!text.empty()) {
        const Extent extent = sentence_extent(text, final);
        if (!extent.bytes) break;
        extents.push_back(extent);
        texts.push_back(text.substr(0, extent.bytes));
        text.remove_prefix(extent.bytes);
    }
    ReadBatch result;
    result.batch.sentences.resize(texts.size());
    std::atomic<std::size_t> end{texts.size()};  // the first that breaks the format: none after it counts
    parallel_for(texts.size(), threads, [&](std::size_t i) {
        if (i > end) return;
        Block& block = result.batch.sentences[i].block;
        // A byte order mark, which only a file's first sentence is asked for, would break it in another way too.
        scan(texts[i], true, {.single_root = false}, block);
        if (block.problems.empty()) return;
        for (std::size_t seen = end; i < seen && !end.compare_exchange_weak(seen, i);) {
        }
    });
    result.is_broken = end < texts.size();
    result.batch.sentences.resize(end);
    result.batch.owners.push_back(std::move(owner));
    for (std::size_t i = 0; i < end; ++i) {
        result.bytes += extents[i].bytes;
        result.lines += extents[i].lines;
    }
    return result;
}

}  // namespace arbora::treebank
