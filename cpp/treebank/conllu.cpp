#include "treebank/conllu.hpp"

#include <algorithm>

#include "treebank/heads.hpp"
#include "treebank/lines.hpp"
#include "treebank/utf8.hpp"

namespace arbora::treebank {

const char* name(Fault fault) {
    static constexpr const char* names[] = {
        "byte_order_mark", "leading_blank", "columns",   "empty_field",     "bad_id",          "id_order",
        "range_place",     "range_overlap", "range_end", "empty_place",     "bad_head",        "head_range",
        "several_roots",   "cycle",         "utf8",      "carriage_return", "mixed_line_ends", "late_comment",
    };
    return names[static_cast<int>(fault)];
}

void Block::clear() {
    comments.clear();
    words.clear();
    heads.clear();
    word_lines.clear();
    multiwords.clear();
    empty_nodes.clear();
    problems.clear();
    closing = {};
    crlf = false;
    bytes = 0;
    lines = 0;
}

namespace {

// The state of one scan. Rows are taken in turn; what needs the whole sentence is asked at the end.
class SentenceScan {
public:
    SentenceScan(const Options& options, Block& block) : options_(options), block_(block) {}

    void take(const Line& line) {
        check_bytes(line);
        if (line.text.front() == '#') {
            take_comment(line);
        } else {
            take_row(line);
        }
        ++line_;
    }

    void finish() {
        if (rows_are_sound_) {
            check_ranges();
            if (options_.check != TreeCheck::nothing && check_heads() && options_.check == TreeCheck::shape) {
                check_roots();
                check_cycles();
            }
        }
        if (block_.problems.size() > 1) {
            std::stable_sort(block_.problems.begin(), block_.problems.end(),
                             [](const Problem& a, const Problem& b) { return a.line < b.line; });
        }
    }

    void report(Problem problem) { block_.problems.push_back(std::move(problem)); }

private:
    void check_bytes(const Line& line) {
        if (line.stray_return) report({Fault::carriage_return, line_});
        if (!line.ascii) {
            const std::size_t bad = first_bad_utf8(line.text);
            if (bad < line.text.size()) {
                report({.fault = Fault::utf8,
                        .line = line_,
                        .first = static_cast<std::int64_t>(bad) + 1,
                        .second = static_cast<unsigned char>(line.text[bad])});
            }
        }
        if (line.ending == Ending::none) return;
        if (ending_ == Ending::none) ending_ = line.ending;
        block_.crlf = ending_ == Ending::crlf;
        if (ending_ != line.ending && !mixed_) {
            mixed_ = true;
            report({Fault::mixed_line_ends, line_});
        }
    }

    void take_comment(const Line& line) {
        if (any_row_) report({Fault::late_comment, line_});
        block_.comments.push_back(line.text);
    }

    void take_row(const Line& line) {
        any_row_ = true;
        if (line.tab_count != kColumns - 1) {
            report({.fault = Fault::columns, .line = line_, .first = line.tab_count + 1, .text = line.text});
            rows_are_sound_ = false;
            // The id still tells which word this was to be, so that the next one is not called out of order.
            const auto id = number(line.text.substr(0, line.text.find('\t')));
            if (id && *id == next_id_) ++next_id_;
            return;
        }
        const Row row = cut_row(line);
        const std::string_view id = row[0];
        if (const auto word = number(id); word && *word > 0) {
            take_word(*word, row);
        } else if (options_.words_only) {
            if (!id.empty()) bad_id(id);
        } else if (const auto dash = id.find('-'); dash != id.npos) {
            take_range(id.substr(0, dash), id.substr(dash + 1), row);
        } else if (const auto dot = id.find('.'); dot != id.npos) {
            take_empty(id.substr(0, dot), id.substr(dot + 1), row);
        } else if (!id.empty()) {
            bad_id(id);
        }
    }

    Row cut_row(const Line& line) {
        Row row;
        const char* begin = line.text.data();
        for (int column = 0; column < kColumns; ++column) {
            const bool last = column == kColumns - 1;
            const char* end = last ? line.text.data() + line.text.size() : line.tabs[static_cast<std::size_t>(column)];
            row[static_cast<std::size_t>(column)] = {begin, static_cast<std::size_t>(end - begin)};
            if (begin == end) {
                report({.fault = Fault::empty_field, .line = line_, .column = column + 1});
                if (column == 0) rows_are_sound_ = false;
            }
            begin = end + 1;
        }
        return row;
    }

    void bad_id(std::string_view id) {
        report({.fault = Fault::bad_id, .line = line_, .column = 1, .text = id});
        rows_are_sound_ = false;
        ++next_id_;  // most likely a word
    }

    void take_word(std::int32_t id, const Row& row) {
        if (id != next_id_) {
            report({.fault = Fault::id_order, .line = line_, .column = 1, .first = id, .second = next_id_});
            rows_are_sound_ = false;
        }
        next_id_ = id + 1;
        next_empty_ = 1;
        std::int32_t head = kUnknownHead;
        if (row[6] != "_") {
            if (const auto parsed = number(row[6])) {
                head = *parsed;
            } else if (!row[6].empty()) {
                report({.fault = Fault::bad_head, .line = line_, .column = 7, .text = row[6]});
            }
        }
        block_.words.push_back(row);
        block_.heads.push_back(head);
        block_.word_lines.push_back(line_);
    }

    void take_range(std::string_view from, std::string_view to, const Row& row) {
        const auto first = number(from), last = number(to);
        if (!first || !last || *first < 1 || *last < *first) {
            report({.fault = Fault::bad_id, .line = line_, .column = 1, .text = row[0]});
            return;
        }
        if (!block_.multiwords.empty() && *first <= block_.multiwords.back().last) {
            report({.fault = Fault::range_overlap, .line = line_, .column = 1, .text = row[0]});
        } else if (*first != next_id_) {
            report({.fault = Fault::range_place, .line = line_, .column = 1, .first = next_id_, .text = row[0]});
        }
        block_.multiwords.push_back({*first, *last, line_, row});
    }

    void take_empty(std::string_view after_text, std::string_view index_text, const Row& row) {
        const auto after = number(after_text), index = number(index_text);
        if (!after || !index || *index < 1) {
            report({.fault = Fault::bad_id, .line = line_, .column = 1, .text = row[0]});
            return;
        }
        if (*after != next_id_ - 1 || *index != next_empty_) {
            report({.fault = Fault::empty_place,
                    .line = line_,
                    .column = 1,
                    .first = next_id_ - 1,
                    .second = next_empty_,
                    .text = row[0]});
        }
        next_empty_ = *index + 1;
        const bool inside = !block_.multiwords.empty() && block_.multiwords.back().first == next_id_;
        block_.empty_nodes.push_back({*after, *index, inside, row});
    }

    std::int32_t count() const { return static_cast<std::int32_t>(block_.words.size()); }

    void check_ranges() {
        for (const Multiword& token : block_.multiwords) {
            if (token.last <= count()) continue;
            report(
                {.fault = Fault::range_end, .line = token.line, .column = 1, .first = count(), .text = token.row[0]});
        }
    }

    bool check_heads() {
        bool all_in_range = true;
        for (std::size_t i = 0; i < block_.heads.size(); ++i) {
            if (block_.heads[i] <= count()) continue;
            all_in_range = false;
            report({.fault = Fault::head_range,
                    .line = block_.word_lines[i],
                    .column = 7,
                    .first = block_.heads[i],
                    .second = count()});
        }
        return all_in_range;
    }

    void check_roots() {
        if (!options_.single_root) return;
        std::int32_t root = 0;
        for (std::int32_t word = 1; word <= count(); ++word) {
            const auto i = static_cast<std::size_t>(word - 1);
            if (block_.heads[i] != 0) continue;
            if (root == 0) {
                root = word;
            } else {
                report({.fault = Fault::several_roots,
                        .line = block_.word_lines[i],
                        .column = 7,
                        .first = root,
                        .second = word});
            }
        }
    }

    void check_cycles() {
        for (auto& cycle : cycles(block_.heads)) {
            const std::int64_t line = block_.word_lines[static_cast<std::size_t>(cycle.front() - 1)];
            report({.fault = Fault::cycle, .line = line, .column = 7, .words = std::move(cycle)});
        }
    }

    const Options& options_;
    Block& block_;
    std::int64_t line_ = 0;
    std::int32_t next_id_ = 1, next_empty_ = 1;
    bool any_row_ = false;
    bool rows_are_sound_ = true;  // the words are numbered 1 .. n, so that heads can be judged
    bool mixed_ = false;
    Ending ending_ = Ending::none;
};

}  // namespace

bool scan(std::string_view buffer, bool final, const Options& options, Block& block) {
    block.clear();
    SentenceScan state(options, block);
    std::size_t at = 0;
    if (options.first_in_file && buffer.starts_with("\xEF\xBB\xBF")) {
        state.report({.fault = Fault::byte_order_mark, .line = 0});
        at = 3;
    }
    std::size_t text_end = at;
    bool in_blank_lines = false;
    while (at < buffer.size()) {
        const Line line = cut_line(buffer.substr(at));
        if (line.ending == Ending::none && !final) return false;
        if (!line.text.empty()) {
            if (in_blank_lines) break;  // the next sentence begins here
            state.take(line);
            text_end = at + line.text.size();
        } else {
            in_blank_lines = true;
            if (block.lines == 0) state.report({Fault::leading_blank, 0});
        }
        at += line.bytes;
        ++block.lines;
    }
    // At the end of the buffer more blank lines may follow, and they belong to this sentence.
    if (at == buffer.size() && !final) return false;
    block.bytes = at;
    block.closing = buffer.substr(text_end, at - text_end);
    state.finish();
    return true;
}

Extent sentence_extent(std::string_view buffer, bool final) {
    Extent extent;
    bool in_blank_lines = false;
    while (extent.bytes < buffer.size()) {
        const std::size_t end = buffer.find('\n', extent.bytes);
        if (end == buffer.npos && !final) return {};
        const std::string_view line = buffer.substr(extent.bytes, end - extent.bytes);
        const bool blank = end != buffer.npos && (line.empty() || line == "\r");
        if (in_blank_lines && !blank) return extent;
        in_blank_lines = blank;
        extent.bytes += line.size() + (end != buffer.npos);
        ++extent.lines;
    }
    return final ? extent : Extent{};
}

}  // namespace arbora::treebank
