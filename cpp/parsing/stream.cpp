#include "parsing/stream.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "parsing/candidate_tags.hpp"

namespace arbora {
namespace {

using treebank::append_between;
using treebank::append_fixed;
using treebank::Block;
using treebank::Rewriting;
using treebank::Row;

constexpr std::string_view head_probability = "HeadProbability", label_probability = "LabelProbability",
                           tag_probability = "UposProbability",
                           tree_comment = "# tree_log_probability =", certificate_comment = "# certificate =";

// One sentence's tree, for words 1..n.
struct Found {
    std::vector<int> heads, labels, tags;
    std::vector<double> head_probabilities, label_probabilities, tag_probabilities;
    double log_probability = 0, value = 0, upper_bound = 0;
};

void encode(const Block& block, const Names& tags, Encoded& encoded) {
    thread_local std::vector<WordTag> own;
    encoded.clear();
    encoded.begin_sentence();
    for (const Row& row : block.words) {
        own.clear();
        const std::string_view upos = tags.count() ? read_candidates(tags, row[3], row[9], own) : row[3];
        encoded.add_word({row[1], row[2], upos, row[4], row[5]});
        for (const WordTag& tag : own) encoded.add_tag(tag);
    }
    encoded.end_sentence();
}

// ---- writing ----

void append_number(std::string& text, int number) {
    char digits[16];
    text.append(digits, std::to_chars(digits, std::end(digits), number).ptr);
}

// The comments, with the tree's probability and certificate as the last ones, if they are wanted.
void append_comments(std::string& text, const Block& block, const Found& found, const ParseOptions& options) {
    const std::string_view newline = block.crlf ? "\r\n" : "\n";
    for (std::string_view comment : block.comments)
        if (!(options.probabilities && comment.starts_with(tree_comment)) &&
            !(options.certificates && comment.starts_with(certificate_comment)))
            text.append(comment).append(newline);
    if (options.probabilities) {
        text.append(tree_comment).append(" ");
        append_fixed(text, found.log_probability, 6);
        text.append(newline);
    }
    if (!options.certificates) return;
    text.append(certificate_comment);
    if (is_certificate(found.value, found.upper_bound)) {
        text.append(" proved");
    } else if (found.upper_bound == INFINITY) {
        text.append(" none");
    } else {
        text.append(" gap ");
        append_fixed(text, found.upper_bound - found.value, 6);
    }
    text.append(newline);
}

// MISC of a word whose tag was chosen, if it was, without what it was chosen among; and with the probabilities, if they are
// wanted, as its last items.
void append_misc(std::string& text, std::string_view misc, const Found& found, std::size_t word, bool tagged,
                 bool probabilities) {
    const std::size_t begin = text.size();
    std::vector<std::string_view> dropped;
    if (tagged) dropped.push_back(treebank::candidates_key);
    if (tagged && probabilities) dropped.push_back(tag_probability);
    if (probabilities) dropped.insert(dropped.end(), {head_probability, label_probability});
    treebank::append_items(text, misc, dropped);
    const auto add = [&](std::string_view name, double number) {
        text.append(name).append("=");
        append_fixed(text, number, 4);
        text.append("|");
    };
    if (tagged && probabilities) add(tag_probability, found.tag_probabilities[word]);
    if (probabilities) {
        add(head_probability, found.head_probabilities[word]);
        add(label_probability, found.label_probabilities[word]);
    }
    if (text.size() == begin)
        text.append("_");
    else
        text.pop_back();  // the last bar
}

// The sentence with its tree. Columns 7 to 9 of its words are new, with tags column 4, and what MISC tells; the rest is
// copied.
std::string render(std::string_view sentence, const Block& block, const Names& labels, const Names& tags,
                   const Found& found, const StreamOptions& options) {
    std::string text;
    text.reserve(sentence.size() + sentence.size() / 8 + 64);
    const char* copied = sentence.data();  // what is before this place is in the text
    const bool probabilities = options.parse.probabilities && !block.words.empty();
    if (!block.words.empty() && (probabilities || options.parse.certificates)) {
        append_comments(text, block, found, options.parse);
        if (!block.comments.empty()) {
            const std::string_view last = block.comments.back();
            copied = last.data() + last.size() + 1 + block.crlf;
        }
    }
    for (std::size_t i = 0; i < block.words.size(); ++i) {
        const Row& row = block.words[i];
        if (tags.count()) {
            append_between(text, copied, row[3].data());
            text.append(tags.name(found.tags[i + 1]));
            copied = row[3].data() + row[3].size();
        }
        append_between(text, copied, row[6].data());
        append_number(text, found.heads[i + 1]);
        const bool keep = options.constraints && row[7] != "_";  // even a label that the model does not know
        text.append("\t").append(keep ? row[7] : labels.name(found.labels[i + 1])).append("\t_\t");
        copied = row[9].data();
        if (!probabilities && !tags.count()) continue;
        append_misc(text, row[9], found, i + 1, tags.count() > 0, probabilities);
        copied += row[9].size();
    }
    append_between(text, copied, sentence.data() + sentence.size());
    return text;
}

// ---- one sentence ----

// False if the sentence breaks the format, or there is no tree for it.
bool run(const Parser& parser, const Names& labels, const Names& tags, const StreamOptions& options, Rewriting& task) {
    thread_local Block block;
    thread_local Encoded encoded;
    thread_local std::vector<int> given_heads, given_labels;
    thread_local Found found;
    // A byte order mark, which only a file's first sentence is asked for, would break it in another way too.
    treebank::scan(task.sentence, true, {.single_root = false}, block);
    if (!block.problems.empty()) return false;
    const std::size_t n = task.words = block.words.size();
    encoded.set_atoms(parser.templates.atoms());
    encode(block, tags, encoded);
    Given given;
    if (options.constraints) {
        given_heads.assign(1, -1);
        given_heads.insert(given_heads.end(), block.heads.begin(), block.heads.end());
        given_labels.assign(1, -1);
        for (const Row& row : block.words) given_labels.push_back(labels.number(row[7]));
        given = {given_heads.data(), given_labels.data()};
    }
    found.heads.assign(n + 1, -1);
    found.labels.assign(n + 1, -1);
    found.head_probabilities.assign(n + 1, 0);
    found.label_probabilities.assign(n + 1, 0);
    ParseRef ref{found.heads.data(), found.labels.data(), found.head_probabilities.data(),
                 found.label_probabilities.data(), 0};
    if (tags.count()) {
        found.tags.assign(n + 1, 0);
        found.tag_probabilities.assign(n + 1, 0);
        ref.tags = found.tags.data();
        ref.tag_probabilities = found.tag_probabilities.data();
    }
    try {
        parse(parser, encoded, 0, given, options.parse, ref);
    } catch (const Infeasible& error) {
        task.refused_because = error.what();
        return false;
    }
    found.log_probability = ref.log_probability;
    found.value = ref.value;
    found.upper_bound = ref.upper_bound;
    task.result = render(task.sentence, block, labels, tags, found, options);
    return true;
}

}  // namespace

treebank::RewrittenText parse_conllu(const Parser& parser, const Names& labels, const Names& tags,
                                     std::string_view text, bool final, const StreamOptions& options) {
    return treebank::rewrite_sentences(text, final, options.threads,
                                       [&](Rewriting& task) { return run(parser, labels, tags, options, task); });
}

}  // namespace arbora
