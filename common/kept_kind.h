/*
 * What the store keeps for the user, and what of it is to be removed: which
 * supervisor and store must agree on. Used by these two; lists of names,
 * nothing else.
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
	KEPT_DROP_IGNORED, /* the tools whose names are refused now */
	KEPT_DROPS
};

#endif
