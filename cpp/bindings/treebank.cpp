// Scanned sentences become Python's column lists here. Repeated field values share one Python string.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <string>

#include "bindings.hpp"
#include "strings.hpp"
#include "treebank/conllu.hpp"
#include "treebank/heads.hpp"

namespace nb = nanobind;
using namespace arbora;
using namespace arbora::treebank;

namespace {

PyObject* head_object(std::int32_t head) { return head < 0 ? Py_NewRef(Py_None) : PyLong_FromLong(head); }

class ConlluDecoder {
public:
    ConlluDecoder(bool single_root, bool words_only, std::int64_t line, TreeCheck check)
        : options_{.single_root = single_root, .check = check, .words_only = words_only, .first_in_file = line == 1},
          line_(line) {}

    std::int64_t line() const { return line_; }

    // The sentences at the start of `data`, and how many bytes they took.
    nb::tuple decode(nb::bytes data, bool final) {
        const NoCollections guard;
        const std::string_view buffer(data.c_str(), data.size());
        nb::list found;
        std::size_t at = 0;
        while (at < buffer.size() && scan(buffer.substr(at), final, options_, block_)) {
            found.append(block_.problems.empty() ? sentence() : failure());
            at += block_.bytes;
            line_ += block_.lines;
            options_.first_in_file = false;
        }
        return nb::make_tuple(at, found);
    }

private:
    nb::object shared(std::string_view text) { return nb::steal(strings_.get(text)); }

    nb::object column(std::size_t which) {
        return make_list(block_.words.size(), [&](std::size_t i) { return strings_.get(block_.words[i][which]); });
    }

    nb::tuple sentence() {
        const auto heads = make_list(block_.heads.size(), [&](std::size_t i) { return head_object(block_.heads[i]); });
        const auto comments =
            make_list(block_.comments.size(), [&](std::size_t i) { return decode_utf8(block_.comments[i]); });
        const auto columns = nb::make_tuple(column(1), column(2), column(3), column(4), column(5), heads, column(7),
                                            column(8), column(9), comments, multiwords(), empty_nodes(),
                                            shared(block_.crlf ? "\r\n" : "\n"), shared(block_.closing));
        return nb::make_tuple(line_, nb::none(), columns);
    }

    // FORM to MISC, as written: these rows have no column that needs to be a number.
    nb::tuple fields(const Row& row) {
        return nb::make_tuple(shared(row[1]), shared(row[2]), shared(row[3]), shared(row[4]), shared(row[5]),
                              shared(row[6]), shared(row[7]), shared(row[8]), shared(row[9]));
    }

    nb::list multiwords() {
        nb::list rows;
        for (const Multiword& token : block_.multiwords) {
            rows.append(nb::make_tuple(token.first, token.last) + fields(token.row));
        }
        return rows;
    }

    nb::list empty_nodes() {
        nb::list rows;
        for (const EmptyNode& node : block_.empty_nodes) {
            rows.append(nb::make_tuple(node.after, node.index) + fields(node.row) + nb::make_tuple(node.inside));
        }
        return rows;
    }

    nb::tuple failure() {
        nb::list problems;
        for (const Problem& problem : block_.problems) {
            problems.append(nb::make_tuple(name(problem.fault), line_ + problem.line, problem.column, problem.first,
                                           problem.second, nb::steal(decode_utf8(problem.text, "backslashreplace")),
                                           problem.words));
        }
        const auto comments = make_list(
            block_.comments.size(), [&](std::size_t i) { return decode_utf8(block_.comments[i], "backslashreplace"); });
        return nb::make_tuple(line_, problems, comments);
    }

    Options options_;
    Block block_;
    Strings strings_;
    std::int64_t line_;
};

std::vector<std::int32_t> heads_of(nb::list heads) {
    std::vector<std::int32_t> numbers;
    numbers.reserve(heads.size());
    const auto count = static_cast<std::int32_t>(heads.size());
    for (nb::handle head : heads) {
        const std::int32_t number = head.is_none() ? kUnknownHead : nb::cast<std::int32_t>(head);
        if (!head.is_none() && (number < 0 || number > count)) throw nb::value_error("a head is out of range");
        numbers.push_back(number);
    }
    return numbers;
}

}  // namespace

void bind_treebank(nb::module_& m) {
    nb::enum_<TreeCheck>(m, "TreeCheck", "What must hold of the heads of a sentence, so that it breaks no format.")
        .value("nothing", TreeCheck::nothing, "Any numbers will do.")
        .value("range", TreeCheck::range, "They are words of the sentence, or 0.")
        .value("shape", TreeCheck::shape, "They also make no cycle, nor a second root where there is to be one.");
    nb::class_<ConlluDecoder>(m, "ConlluDecoder", "Turns the bytes of a ten-column file into columns, piece by piece.")
        .def(nb::init<bool, bool, std::int64_t, TreeCheck>(), nb::arg("single_root"), nb::arg("words_only"),
             nb::arg("line") = 1, nb::arg("check") = TreeCheck::shape,
             "What it is fed with begins at this line of the file.")
        .def_prop_ro("line", &ConlluDecoder::line, "The line, from 1, at which the next sentence begins.")
        .def("decode", &ConlluDecoder::decode, nb::arg("data"), nb::arg("final"),
             nb::sig("def decode(self, data: bytes, final: bool) -> tuple[int, list[tuple[int, typing.Any, "
                     "typing.Any]]]"),
             "The sentences at the start of the data, and the number of bytes they took. Each is (first line, None, "
             "columns), or (first line, problems, comments) if it breaks the format.");
    m.def(
        "head_cycles", [](nb::list heads) { return cycles(heads_of(heads)); }, nb::arg("heads"),
        nb::sig("def head_cycles(heads: list[int | None]) -> list[list[int]]"),
        "Every cycle of the heads, each from its smallest word.");
    m.def(
        "nonprojective_words",
        [](nb::list heads) {
            const auto numbers = heads_of(heads);
            if (!cycles(numbers).empty()) throw nb::value_error("the heads form a cycle");
            return nonprojective_words(numbers);
        },
        nb::arg("heads"), nb::sig("def nonprojective_words(heads: list[int | None]) -> list[int]"),
        "The words whose arc is not projective.");
}
