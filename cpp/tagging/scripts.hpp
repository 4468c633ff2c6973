// Edit scripts: how a lemma is made of a form.
#pragma once
#include <string>
#include <string_view>

namespace arbora {

// A form's letters, as they are and in lower case.
class FormLetters {
public:
    FormLetters() = default;
    explicit FormLetters(std::string_view form) { set(form); }
    void set(std::string_view form);

    std::size_t size() const { return letters_.size(); }
    // The letter at a place if the form is put into a case of edit scripts.
    char32_t in_case(std::size_t at, char letter_case) const;

private:
    std::u32string letters_, lower_;
};

// A script either says what the lemma is, whatever the form, or: change the case of the form's letters (`l`ower, `k`ept
// as they are, `t`itle, `u`pper), take a text off its beginning and one off its end, and put others there. As text:
// `=be`; or the case, the sizes of the four texts in bytes, and the texts: `l0,0,3,1:iesy` makes "city" of "Cities".
class EditScript {
public:
    // Throws std::invalid_argument if the text is no script.
    explicit EditScript(std::string_view text);

    // False if the form does not begin and end as it must, or nothing would be left of it; else `lemma` is set.
    bool apply(const FormLetters& form, std::string& lemma) const;
    // Whether `apply` can do it.
    bool fits(const FormLetters& form) const;

private:
    bool is_whole_;
    char letter_case_ = 'k';
    std::u32string off_front_, off_back_;
    std::string front_, back_;
};

// The shortest script that makes the lemma of the form; of equals the one in lower case, so that words have the same one
// at the beginning of a sentence and within it. A lemma that has no character in common with the form is written out.
std::string find_script(std::string_view form, std::string_view lemma);

}  // namespace arbora
