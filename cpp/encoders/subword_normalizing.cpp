#include "encoders/subword_normalizing.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace arbora::encoders {
namespace {

class MapStep : public NormalizingStep {
public:
    explicit MapStep(CharacterMap map) : map_(std::move(map)) {}
    void apply(std::u32string& text, std::u32string& space) const override {
        space.clear();
        for (const char32_t c : text) map_.append(c, space);
        text.swap(space);
    }
    bool is_plain() const override { return true; }

private:
    CharacterMap map_;
};

class ReplacementStep : public NormalizingStep {
public:
    ReplacementStep(std::u32string found, std::u32string other, bool runs)
        : found_(std::move(found)), other_(std::move(other)), runs_(runs) {
        if (found_.empty() || (runs_ && found_.size() > 1))
            throw std::invalid_argument("a replacement of nothing, or of runs of several characters");
    }
    void apply(std::u32string& text, std::u32string& space) const override {
        space.clear();
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t size = found_at(text, at);
            if (size == 0) {
                space.push_back(text[at++]);
            } else {
                space.append(other_);
                at += size;
            }
        }
        text.swap(space);
    }

private:
    // How many characters are to be replaced there.
    std::size_t found_at(const std::u32string& text, std::size_t at) const {
        if (!runs_) return text.compare(at, found_.size(), found_) == 0 ? found_.size() : 0;
        std::size_t end = at;
        while (end < text.size() && text[end] == found_[0]) ++end;
        return end - at >= 2 ? end - at : 0;
    }

    std::u32string found_, other_;
    bool runs_;
};

class StripStep : public NormalizingStep {
public:
    StripStep(bool left, bool right) : left_(left), right_(right) {}
    void apply(std::u32string& text, std::u32string&) const override {
        if (right_) text.erase(std::find_if_not(text.rbegin(), text.rend(), is_white).base(), text.end());
        if (left_) text.erase(text.begin(), std::find_if_not(text.begin(), text.end(), is_white));
    }

private:
    bool left_, right_;
};

class PrefixStep : public NormalizingStep {
public:
    explicit PrefixStep(std::u32string prefix) : prefix_(std::move(prefix)) {}
    void apply(std::u32string& text, std::u32string&) const override {
        if (!text.empty()) text.insert(0, prefix_);
    }

private:
    std::u32string prefix_;
};

}  // namespace

std::unique_ptr<NormalizingStep> make_map(CharacterMap map) { return std::make_unique<MapStep>(std::move(map)); }
std::unique_ptr<NormalizingStep> make_replacement(std::u32string found, std::u32string other, bool runs) {
    return std::make_unique<ReplacementStep>(std::move(found), std::move(other), runs);
}
std::unique_ptr<NormalizingStep> make_strip(bool left, bool right) { return std::make_unique<StripStep>(left, right); }
std::unique_ptr<NormalizingStep> make_prefix(std::u32string prefix) {
    return std::make_unique<PrefixStep>(std::move(prefix));
}

void Normalizer::add(std::shared_ptr<const NormalizingStep> step) {
    knows_ascii_ = knows_ascii_ && step->is_plain();
    steps_.push_back(std::move(step));
    learn_ascii();
}

void Normalizer::learn_ascii() {
    ascii_.clear();
    std::u32string text, space;
    for (char32_t c = 0; c < 0x80 && knows_ascii_; ++c) {
        text.assign(1, c);
        for (const auto& step : steps_) step->apply(text, space);
        knows_ascii_ = text.size() <= 1;
        ascii_.push_back(text.empty() ? nothing : text[0]);
    }
}

void Normalizer::apply(std::u32string& text, std::u32string& space) const {
    if (steps_.empty()) return;
    if (knows_ascii_ && std::all_of(text.begin(), text.end(), [](char32_t c) { return c < 0x80; })) {
        std::size_t size = 0;
        for (const char32_t c : text) {
            text[size] = ascii_[c];
            size += text[size] != nothing;
        }
        text.resize(size);
        return;
    }
    for (const auto& step : steps_) step->apply(text, space);
}

}  // namespace arbora::encoders
