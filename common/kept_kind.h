/*
 * The kinds of stored items and the ways to remove them: codes that supervisor
 * and store exchange. Lists of names, nothing else.
 */
#ifndef COMMON_KEPT_KIND_H
#define COMMON_KEPT_KIND_H

enum kept_kind {
	KEPT_MEMORIES,
	KEPT_TOOLS, /* saved tools */
	KEPT_KINDS
};

enum kept_drop {
	KEPT_DROP_ONE,
	KEPT_DROP_ALL,
	KEPT_DROP_IGNORED, /* the tools whose names are no longer accepted */
	KEPT_DROPS
};

#endif
