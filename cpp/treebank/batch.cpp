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

ReadBatch read_conllu(std::string_view text, std::shared_ptr<const void> owner, const ReadOptions& options) {
    std::vector<BrokenSentence> all;
    ReadBatch result;
    result.next = options.first;
    while (result.bytes < text.size()) {
        const Extent extent = sentence_extent(text.substr(result.bytes), options.final);
        if (!extent.bytes) break;
        all.push_back({result.bytes, extent.bytes, result.next});
        result.bytes += extent.bytes;
        result.next.line += extent.lines;
        ++result.next.number;
    }
    std::vector<AnnotatedSentence> found(all.size());
    std::atomic<std::size_t> end{all.size()};  // the first that breaks the format: none after it counts
    parallel_for(all.size(), options.threads, [&](std::size_t i) {
        if (i > end && !options.skip) return;
        Block& block = found[i].block;
        // A byte order mark, which only a file's first sentence is asked for, would break it in another way too.
        const Options how{.single_root = false, .check = options.check};
        scan(text.substr(all[i].begin, all[i].bytes), true, how, block);
        found[i].place = all[i].place;
        if (block.problems.empty()) return;
        for (std::size_t seen = end; i < seen && !end.compare_exchange_weak(seen, i);) {
        }
    });
    for (std::size_t i = 0; i < found.size(); ++i) {
        if (found[i].block.problems.empty()) {
            result.batch.sentences.push_back(std::move(found[i]));
            continue;
        }
        result.broken.push_back(all[i]);
        if (options.skip) continue;
        result.bytes = all[i].begin;
        result.next = all[i].place;
        break;
    }
    result.batch.owners.push_back(std::move(owner));
    return result;
}

}  // namespace arbora::treebank
