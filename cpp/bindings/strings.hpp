// Texts of the core as Python strings; those that come again and again share one.
#pragma once
#include <nanobind/nanobind.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

namespace arbora {

template <typename Word>
std::uint64_t load(const char* at) {
    Word word;
    std::memcpy(&word, at, sizeof(Word));
    return word;
}

// Fields are short, and a call of memcpy or memcmp costs more than they do: read them as a few words that may overlap.
inline std::uint64_t hash_bytes(const char* at, std::size_t size) {
    constexpr std::uint64_t multiplier = 0x9E3779B97F4A7C15u;
    std::uint64_t state = size * multiplier;
    const auto mix = [&](std::uint64_t word) {
        state = (state ^ word) * multiplier;
        state ^= state >> 32;
    };
    if (size >= 8) {
        for (std::size_t k = 0; k + 8 < size; k += 8) mix(load<std::uint64_t>(at + k));
        mix(load<std::uint64_t>(at + size - 8));
    } else if (size >= 4) {
        mix(load<std::uint32_t>(at) << 32 | load<std::uint32_t>(at + size - 4));
    } else if (size >= 2) {
        mix(load<std::uint16_t>(at) << 16 | load<std::uint16_t>(at + size - 2));
    }
    return state;
}

inline bool equal_bytes(const char* a, const char* b, std::size_t size) {
    if (size >= 8) {
        for (std::size_t k = 0; k + 8 < size; k += 8) {
            if (load<std::uint64_t>(a + k) != load<std::uint64_t>(b + k)) return false;
        }
        return load<std::uint64_t>(a + size - 8) == load<std::uint64_t>(b + size - 8);
    }
    if (size >= 4) {
        return load<std::uint32_t>(a) == load<std::uint32_t>(b) &&
               load<std::uint32_t>(a + size - 4) == load<std::uint32_t>(b + size - 4);
    }
    return load<std::uint16_t>(a) == load<std::uint16_t>(b) &&
           load<std::uint16_t>(a + size - 2) == load<std::uint16_t>(b + size - 2);
}

// The text of a Python string, which must outlive it.
inline std::string_view text_of(nanobind::handle string) {
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(string.ptr(), &size);
    if (!data) nanobind::raise_python_error();
    return {data, static_cast<std::size_t>(size)};
}

// A new reference, like all PyObject* below: the loops over fields count references by hand, for speed.
inline PyObject* decode_utf8(std::string_view text, const char* errors = "strict") {
    PyObject* string = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), errors);
    if (string == nullptr) throw nanobind::python_error();
    return string;
}

// A cache from bytes to Python strings, of fixed size: a value that maps to a taken slot replaces what is there. So a
// stream of any length needs no more than this, and frequent values, which come back soon, are nearly always found.
class Strings {
public:
    Strings() : slots_(std::make_unique<Slot[]>(kSlots)) {}
    Strings(const Strings&) = delete;
    Strings& operator=(const Strings&) = delete;
    ~Strings() {
        for (std::size_t i = 0; i < kSlots; ++i) Py_XDECREF(slots_[i].value);
    }

    PyObject* get(std::string_view text) {
        // One ASCII character (mostly `_`): Python keeps a string of each itself.
        if (text.size() > kLongest || text.size() < 2) return decode_utf8(text);
        const auto hash = static_cast<std::uint32_t>(hash_bytes(text.data(), text.size()) >> 32);
        Slot& slot = slots_[hash % kSlots];
        if (!slot.holds(hash, text)) slot.hold(hash, text);
        return Py_NewRef(slot.value);
    }

private:
    static constexpr std::size_t kSlots = 1u << 13;
    static constexpr std::size_t kLongest = 115;  // what fits into a slot of two cache lines

    struct alignas(64) Slot {
        PyObject* value = nullptr;
        std::uint32_t hash = 0;
        std::uint8_t size = 0;
        char key[kLongest];

        bool holds(std::uint32_t its_hash, std::string_view text) const {
            return value != nullptr && hash == its_hash && size == text.size() &&
                   equal_bytes(key, text.data(), text.size());
        }

        void hold(std::uint32_t its_hash, std::string_view text) {
            PyObject* fresh = decode_utf8(text);
            Py_XDECREF(value);
            value = fresh;
            hash = its_hash;
            size = static_cast<std::uint8_t>(text.size());
            std::memcpy(key, text.data(), text.size());
        }
    };
    static_assert(sizeof(Slot) == 128);
    std::unique_ptr<Slot[]> slots_;
};

// A list of known length, filled in place: item(i) is a new reference for each i.
template <typename Item>
nanobind::list make_list(std::size_t size, Item item) {
    nanobind::list list = nanobind::steal<nanobind::list>(PyList_New(static_cast<Py_ssize_t>(size)));
    if (!list.is_valid()) throw nanobind::python_error();
    for (std::size_t i = 0; i < size; ++i) PyList_SET_ITEM(list.ptr(), static_cast<Py_ssize_t>(i), item(i));
    return list;
}

// Nothing made while decoding can be garbage, so the collector need not look at it again and again.
class NoCollections {
public:
    NoCollections() : were_enabled_(PyGC_Disable() != 0) {}
    NoCollections(const NoCollections&) = delete;
    NoCollections& operator=(const NoCollections&) = delete;
    ~NoCollections() {
        if (were_enabled_) PyGC_Enable();
    }

private:
    bool were_enabled_;
};

}  // namespace arbora
