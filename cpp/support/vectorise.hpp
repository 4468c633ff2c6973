#pragma once

// ARBORA_VECTORISED compiles a function twice: for any x86-64 machine and for those with AVX2 and FMA. The loader
// picks once per process, so one wheel serves both. Elsewhere it means nothing.
#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_ADDRESS__)
#define ARBORA_VECTORISED __attribute__((target_clones("arch=x86-64-v3", "default")))
#else
#define ARBORA_VECTORISED
#endif

// Tells the compiler that iterations of the next loop do not depend on each other's stores.
#if defined(__GNUC__) && !defined(__clang__)
#define ARBORA_INDEPENDENT _Pragma("GCC ivdep")
#else
#define ARBORA_INDEPENDENT
#endif
