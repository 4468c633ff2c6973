#include "tokenizing/symbols.hpp"

namespace arbora::tokenizing {

namespace {

struct Writer {
    Symbols& result;

    void put(std::uint32_t code, CharClass kind, std::size_t byte, std::size_t character) {
        result.code.push_back(code);
        result.kind.push_back(kind);
        result.byte.push_back(static_cast<std::uint32_t>(byte));
        result.character.push_back(static_cast<std::uint32_t>(character));
    }
    void put_paragraph(std::size_t byte, std::size_t character) {
        for (int k = 0; k < padding; ++k) put(gap_paragraph, CharClass::line_break, byte, character);
    }
};

}  // namespace

void read_symbols(std::string_view text, const ClassTable& classes, Symbols& result) {
    for (auto* column : {&result.code, &result.byte, &result.character}) {
        column->clear();
        column->reserve(text.size() + 3 * padding);
    }
    result.kind.clear();
    result.kind.reserve(text.size() + 3 * padding);
    Writer writer{result};
    writer.put_paragraph(0, 0);
    std::size_t at = 0, character = 0;
    while (at < text.size()) {
        auto [code, bytes] = decode(text.data() + at);
        CharClass kind = classes.of(code);
        if (!is_space(kind)) {
            writer.put(code, kind, at, character++);
            at += bytes;
            continue;
        }
        const std::size_t begin = at, first = character;
        const std::uint32_t only = code;
        int breaks = 0;
        std::uint32_t before = 0;
        while (is_space(kind)) {
            breaks += kind == CharClass::line_break && !(code == '\n' && before == '\r');
            before = code;
            at += bytes;
            ++character;
            if (at == text.size()) break;
            const Decoded next = decode(text.data() + at);
            code = next.code;
            bytes = next.bytes;
            kind = classes.of(code);
        }
        if (breaks > 1 || begin == 0 || at == text.size())
            writer.put_paragraph(begin, first);
        else if (breaks == 1)
            writer.put(gap_line, CharClass::line_break, begin, first);
        else
            writer.put(character - first == 1 && only == ' ' ? gap_space : gap_spaces, CharClass::space, begin, first);
    }
    writer.put_paragraph(at, character);
    result.byte.push_back(static_cast<std::uint32_t>(at));
    result.character.push_back(static_cast<std::uint32_t>(character));
}

}  // namespace arbora::tokenizing
