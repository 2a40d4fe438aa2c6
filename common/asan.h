/*
 * Whether this is a build with AddressSanitizer, for the few places that must
 * know: gcc and clang say it in different ways. Used by every worker.
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
 * For a function that ends its process, or never returns, where nearly every
 * system call is refused: AddressSanitizer would make some of its own first.
 */
#ifdef ASAN_BUILD
#define ASAN_LEAVES_ALONE __attribute__((no_sanitize("address")))
#else
#define ASAN_LEAVES_ALONE
#endif

#endif
