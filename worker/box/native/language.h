/*
 * A language of the box: one folder of worker/box, whose manifest
 * (language.def) and functions make one row of the table in languages.c. The
 * supervisor's struct language (supervisor/box/shared/language.h) is made from
 * other columns of the same manifests.
 */
#ifndef WORKER_BOX_NATIVE_LANGUAGE_H
#define WORKER_BOX_NATIVE_LANGUAGE_H

#include "../../../common/base/err.h"

struct box;

/* Whether a template can load its interpreter once, and fork boxes from it. */
enum language_start {
	LANGUAGE_EXECUTED,
	LANGUAGE_FORKED,
};

/* The limit on the memory of one process of the code, besides RLIMIT_DATA. */
enum language_memory {
	/* RLIMIT_AS: mapped memory counts, even if it is never used. */
	LANGUAGE_ADDRESS_SPACE,
	/*
	 * Only used memory counts, if the box is watched as a whole. Its
	 * programs may reserve more address space than they ever use, as V8 and
	 * WebAssembly do (tens of gibibytes).
	 */
	LANGUAGE_RESIDENT,
	/*
	 * The same, and private memory may be reserved, too, which RLIMIT_DATA
	 * counts: half a gibibyte for the code that V8 compiles.
	 */
	LANGUAGE_RESERVED,
};

struct language {
	const char *name; /* in SETUP, and of the directory of its files */
	enum language_start start;
	enum language_memory memory;
	unsigned int helpers; /* helper processes that run beside the code */
	/*
	 * Finds the interpreter of box->setup, and records the parts of the
	 * host that it needs. Run by the launcher. Returns 0, or -1 with err.
	 */
	int (*locate)(struct box *box, struct err *err);
	/* Becomes the interpreter: returns only on failure, -1 with err. */
	int (*run)(struct box *box, struct err *err);
	/* If there is none at usual, there is one at instead; or both NULL. */
	const char *usual, *instead;
};

#endif
