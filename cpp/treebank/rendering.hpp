// Annotated sentences as CoNLL-U: the one place where columns, MISC and comments are made of what was found.
#pragma once

#include <string>

#include "treebank/batch.hpp"

namespace arbora::treebank {

// The item of MISC that lists the UPOS tags which a word may have: UposCandidates=NOUN:0.7312;VERB:0.2688.
inline constexpr std::string_view candidates_key = "UposCandidates";

// Appends the sentence; what nobody changed is byte for byte as it was read.
void append_conllu(const AnnotatedSentence& sentence, std::string& text);

// A word's MISC: its items, without those that are replaced or erased, and then what was found.
void append_misc(const AnnotatedSentence& sentence, std::size_t word, std::string& text);

// The comments, without those that are replaced, and then the notes: call(comment) for each.
template <class Call>
void for_comments(const AnnotatedSentence& sentence, const Call& call);

// What a note says behind `# name = `.
void append_note(const Note& note, std::string& text);

// Whether a comment is `# name = ...`.
bool is_note(std::string_view comment, std::string_view name);

template <class Call>
void for_comments(const AnnotatedSentence& sentence, const Call& call) {
    for (std::string_view comment : sentence.block.comments) {
        bool replaced = false;
        for (const Note& note : sentence.notes) replaced = replaced || is_note(comment, note.name);
        if (!replaced) call(comment);
    }
    std::string made;
    for (const Note& note : sentence.notes) {
        made.assign("# ").append(note.name).append(" = ");
        append_note(note, made);
        call(made);
    }
}

}  // namespace arbora::treebank
