/*
 * Tells whether this is a build with AddressSanitizer, for the few places that
 * depend on it: gcc and clang define different macros. Used by every worker.
 */
#ifndef COMMON_ASAN_H
#define COMMON_ASAN_H

#if defined(__SANITIZE_ADDRESS__)
#define ASAN_BUILD 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define ASAN_BUILD 1
#endif
#endif

/*
 * For a function that exits, or never returns, when nearly every system call is
 * refused: AddressSanitizer would make calls of its own before.
 */
#ifdef ASAN_BUILD
#define ASAN_LEAVES_ALONE __attribute__((no_sanitize("address")))
#else
#define ASAN_LEAVES_ALONE
#endif

#endif
