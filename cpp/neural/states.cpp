#include "neural/states.hpp"

#include <algorithm>

namespace arbora::neural {
namespace {

// Sub-words that are encoded at once, of some sentences: so memory does not grow with the batch.
constexpr std::size_t slice_subwords = 1 << 14;

// A part of a sequence that an encoder takes at once: the marks, and sub-words from `begin` to `end`.
struct Window {
    std::size_t sentence, begin, end;
};

// The windows of sub-words 1 .. count, which stand between the marks.
void cut_windows(std::size_t sentence, std::size_t count, std::size_t most, std::vector<Window>& windows) {
    const std::size_t room = most - 2;
    for (std::size_t begin = 1;; begin += room / 2) {
        const std::size_t end = std::min(begin + room, count + 1);
        windows.push_back({sentence, begin, end});
        if (end == count + 1) return;
    }
}

// How far a place is from what a window does not see; the ends of the sentence are no such ends.
std::size_t depth(const Window& window, std::size_t place, std::size_t count) {
    const std::size_t far = count + 2;
    const std::size_t left = window.begin == 1 ? far : place - window.begin;
    const std::size_t right = window.end == count + 1 ? far : window.end - 1 - place;
    return std::min(left, right);
}

class Reader {
public:
    Reader(const NeuralModel& model, const std::vector<std::vector<std::string_view>>& sentences)
        : model_(model), sequences_(sentences.size()) {
        for (std::size_t i = 0; i < sentences.size(); ++i) {
            if (sentences[i].empty()) continue;
            read_sequence(*model.subwords, model.marks, sentences[i], sequences_[i]);
            cut_windows(i, count(i), model.encoder->shape().longest(), windows_);
        }
    }

    void read(int threads, States& states) {
        for (std::size_t first = 0; first < windows_.size();) {
            std::size_t last = first;
            ids_.clear();
            shapes_.clear();
            ends_.clear();
            for (; last < windows_.size() && ids_.size() < slice_subwords; ++last) add(windows_[last]);
            rows_.resize(ids_.size() * states.width());
            model_.encoder->encode(
                {ids_,
                 model_.encoder->shapes() ? std::span<const std::uint8_t>(shapes_) : std::span<const std::uint8_t>(),
                 ends_},
                threads, rows_.data());
            std::size_t begin = 0;
            for (std::size_t w = first; w < last; ++w) {
                keep(w, rows_.data() + begin * states.width(), states);
                begin = static_cast<std::size_t>(ends_[w - first]);
            }
            first = last;
        }
    }

private:
    void add(const Window& window) {
        const Sequence& own = sequences_[window.sentence];
        const auto add_part = [&](std::size_t from, std::size_t to) {
            ids_.insert(ids_.end(), own.ids.data() + from, own.ids.data() + to);
            shapes_.insert(shapes_.end(), own.shapes.data() + from, own.shapes.data() + to);
        };
        add_part(0, 1);
        add_part(window.begin, window.end);
        add_part(own.ids.size() - 1, own.ids.size());
        ends_.push_back(static_cast<std::int64_t>(ids_.size()));
    }

    std::size_t count(std::size_t sentence) const { return sequences_[sentence].ids.size() - 2; }

    // The states of the words that are best seen in this window.
    void keep(std::size_t w, const float* rows, States& states) const {
        const Window& window = windows_[w];
        const Sequence& own = sequences_[window.sentence];
        const std::size_t width = states.width();
        float* result = states.rows(window.sentence).data();
        if (window.begin == 1) std::copy_n(rows, width, result);  // the root
        const auto first =
            std::lower_bound(own.firsts.begin() + 1, own.firsts.end(), static_cast<std::int64_t>(window.begin));
        for (auto word = static_cast<std::size_t>(first - own.firsts.begin()); word < own.firsts.size(); ++word) {
            const auto place = static_cast<std::size_t>(own.firsts[word]);
            if (place >= window.end) return;
            const std::size_t here = depth(window, place, count(window.sentence));
            // How deep it is in another window; 0 if it is not there.
            const auto depth_in = [&](std::size_t other) -> std::size_t {
                if (other >= windows_.size() || windows_[other].sentence != window.sentence) return 0;
                if (place < windows_[other].begin || place >= windows_[other].end) return 0;
                return depth(windows_[other], place, count(window.sentence));
            };
            if (depth_in(w + 1) > here || (w && depth_in(w - 1) && depth_in(w - 1) >= here)) continue;
            std::copy_n(rows + (place - window.begin + 1) * width, width, result + word * width);
        }
    }

    const NeuralModel& model_;
    std::vector<Sequence> sequences_;
    std::vector<Window> windows_;
    std::vector<std::int32_t> ids_;  // of what is encoded at once
    std::vector<std::uint8_t> shapes_;
    std::vector<std::int64_t> ends_;
    std::vector<float> rows_;
};

}  // namespace

States::States(std::vector<int> lengths, std::size_t width) : lengths_(std::move(lengths)), width_(width) {
    std::size_t rows = 0;
    for (int length : lengths_) {
        starts_.push_back(rows);
        rows += static_cast<std::size_t>(length) + 1;
    }
    values_.resize(rows * width_);
}

States States::excerpt(std::size_t sentence, std::span<const int> words) const {
    States result({static_cast<int>(words.size())}, width_);
    const float* from = rows(sentence).data();
    float* to = result.rows(0).data();
    std::copy_n(from, width_, to);
    for (std::size_t i = 0; i < words.size(); ++i)
        std::copy_n(from + static_cast<std::size_t>(words[i]) * width_, width_, to + (i + 1) * width_);
    return result;
}

States read_states(const NeuralModel& model, const std::vector<std::vector<std::string_view>>& sentences, int threads) {
    std::vector<int> lengths;
    for (const auto& forms : sentences) lengths.push_back(static_cast<int>(forms.size()));
    States states(std::move(lengths), model.encoder->shape().hidden);
    Reader(model, sentences).read(threads, states);
    return states;
}

}  // namespace arbora::neural
