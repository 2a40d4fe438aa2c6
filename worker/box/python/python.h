/*
 * CPython in a box: how it is found and becomes the code, and the library that
 * it loads in a template.
 */
#ifndef WORKER_BOX_PYTHON_PYTHON_H
#define WORKER_BOX_PYTHON_PYTHON_H

#include <stddef.h>

#include "../native/sandbox.h"
#include "../../../common/base/err.h"

/* interpreter.c */
/* Notes what of the host the interpreter needs outside of /usr. */
int python_locate(struct box *box, struct err *err);
/* Becomes the interpreter: returns only on failure. */
int python_run(struct box *box, struct err *err);

/* Allocates size bytes, as PyObject_Malloc does. */
typedef void *holes_allocate(size_t size);

/*
 * holes.c: takes, for ever, what is free in the middle of memory, of the C
 * library and of allocate, which is the interpreter's.
 */
void holes_fill(holes_allocate *allocate);

/* What the interpreter takes memory for small objects from, in large pieces. */
struct pages_allocator {
	void *context;
	void *(*allocate)(void *context, size_t size);
	void (*free)(void *context, void *piece, size_t size);
};

/*
 * pages.c: returns an allocator whose pieces lie side by side, from an address
 * on at which a huge page can begin.
 */
const struct pages_allocator *pages_gather(void);
/* Makes huge pages of these pieces and the heap, as far as they fill any. */
void pages_enlarge(void);

/* How the interpreter allocates blocks of one kind. */
struct compact_allocator {
	void *context;
	void *(*allocate)(void *context, size_t size);
	void *(*allocate_zeroed)(void *context, size_t count, size_t size);
	void *(*reallocate)(void *context, void *block, size_t size);
	void (*free)(void *context, void *block);
};

/* The kinds that have small blocks: PYMEM_DOMAIN_MEM and PYMEM_DOMAIN_OBJ. */
#define COMPACT_FIRST 1
#define COMPACT_KINDS 2

/* Reads the allocator of a kind, or sets it. */
typedef void compact_exchange(int kind, struct compact_allocator *allocator);

/*
 * compact.c: has blocks that are allocated from now on lie side by side, until
 * compact_end(), or until they are larger together than the limit that is set
 * afterwards. Does nothing if that has begun, or if the allocator is not the
 * usual one of Python.
 */
void compact_begin(compact_exchange *get, compact_exchange *set);
void compact_limit(size_t most);
void compact_end(void);

/* What the library does as a template, of which the interpreter is a part. */
struct module_template {
	/*
	 * Finds out what boxes will need. Returns 0, or -1 with err. The
	 * working directory does not matter.
	 */
	int (*open)(struct err *err);
	/*
	 * Makes a sample box, which gets the frame from its relay. Returns 1
	 * in that, and 0 in the template after its end.
	 */
	int (*sample)(const void *frame, size_t size);
	/* In a box that ends: reports to the template, if it is the sample. */
	void (*tell)(void);
	/*
	 * Says to the supervisor that boxes can be forked. Returns 0, or -1
	 * with err.
	 */
	int (*begin)(struct err *err);
	/*
	 * Waits until a box is wanted. Returns 1, 0 when none is wanted any
	 * more, or -1 with err.
	 */
	int (*wait)(struct err *err);
	/*
	 * Makes the box that is wanted. Returns 0 in the template, when the box
	 * lives or has failed, and 1 in the box, whose code can run now: it has
	 * everything of the interpreter, and nothing of the template.
	 */
	int (*fork)(void);
	/* Says to the supervisor why there can be no template. */
	void (*refuse)(const char *reason);
};

/*
 * module.c: makes the library a module of the interpreter, once. template is
 * kept. Returns what PyInit_NAME() is to return.
 */
void *module_make(const struct module_template *template);

#endif
