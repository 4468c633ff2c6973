// Tokens that hold several words: which do, and what their words are.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace arbora::tokenizing {

// How a token falls into words. Either its own characters are shared out, the last words taking `lengths` of them
// and the first the rest; or the first word is the token without its last `cut` characters, and `add`, and the other
// words are `rest`.
struct SplitPattern {
    std::vector<int> lengths;
    int cut = 0;
    std::string add;
    std::vector<std::string> rest;
};

// Finds the pattern of a token by its whole form, and else by its longest known ending. Case of ASCII letters does not
// matter; -1 stands for no pattern.
class Multiwords {
public:
    std::vector<SplitPattern> patterns;

    void add_form(std::string_view form, int pattern) { forms_.insert_or_assign(lower(form), pattern); }
    // An ending can be found only if those shorter by one character are there too, down to one character.
    void add_ending(std::string_view ending, int pattern) { endings_.insert_or_assign(lower(ending), pattern); }

    // Fills `words`; false if the token is one word.
    bool split(std::string_view form, std::vector<std::string>& words) const;

private:
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
    };
    using Table = std::unordered_map<std::string, int, Hash, std::equal_to<>>;

    static void to_lower(std::string_view text, std::string& result);
    static std::string lower(std::string_view text);
    int find(std::string_view form) const;

    Table forms_, endings_;
};

}  // namespace arbora::tokenizing
