// Annotated sentences as CoNLL-U: the one place where columns, MISC and comments are made of what was found.
#pragma once

#include <algorithm>
#include <string>

#include "treebank/batch.hpp"
#include "treebank/constituents.hpp"

namespace arbora::treebank {

// The item of MISC that lists the UPOS tags which a word may have: UposCandidates=NOUN:0.7312;VERB:0.2688.
inline constexpr std::string_view candidates_key = "UposCandidates";

// Appends the sentence; what nobody changed is byte for byte as it was read.
void append_conllu(const AnnotatedSentence& sentence, std::string& text);

// A word's MISC: its items, without those that are replaced or erased, and then what was found.
void append_misc(const AnnotatedSentence& sentence, std::size_t word, std::string& text);

// The comments, without those that are replaced, and then the notes and the tree of phrases: call(comment) for each.
template <class Call>
void for_comments(const AnnotatedSentence& sentence, const Call& call);

// What a note says behind `# name = `.
void append_note(const Note& note, std::string& text);

// Whether a comment is `# name = ...`.
bool is_note(std::string_view comment, std::string_view name);

// Whether a comment is no longer true, or says what a note will.
bool is_replaced_comment(const AnnotatedSentence& sentence, std::string_view comment);

// Of the k best trees of a sentence, each is one of its own: its name has the rank behind it, `s1-2`.
inline constexpr std::string_view kbest_rank_note = "kbest_rank", sent_id_note = "sent_id";

template <class Call>
void for_comments(const AnnotatedSentence& sentence, const Call& call) {
    const auto is_rank = [](const Note& note) { return note.name == kbest_rank_note; };
    const auto rank = std::find_if(sentence.notes.begin(), sentence.notes.end(), is_rank);
    std::string made;
    for (std::string_view comment : sentence.block.comments) {
        if (rank != sentence.notes.end() && is_note(comment, sent_id_note)) {
            made.assign(comment.substr(0, comment.find_last_not_of(' ') + 1)).push_back('-');
            append_note(*rank, made);
            call(made);
        } else if (!is_replaced_comment(sentence, comment)) {
            call(comment);
        }
    }
    for (const Note& note : sentence.notes) {
        made.assign("# ").append(note.name).append(" = ");
        append_note(note, made);
        call(made);
    }
    if (sentence.constituents.empty()) return;
    made.assign("# ").append(constituents_note).append(" = ");
    append_brackets(sentence, made);
    call(made);
    if (!has_constituent_probabilities(sentence)) return;
    made.assign("# ").append(constituent_probabilities_note).append(" = ");
    append_constituent_probabilities(sentence, made);
    call(made);
}

}  // namespace arbora::treebank
