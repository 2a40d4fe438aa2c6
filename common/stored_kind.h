/*
 * The kinds of stored items and the ways to remove them: codes that supervisor
 * and store exchange. Lists of names, nothing else.
 */
#ifndef COMMON_STORED_KIND_H
#define COMMON_STORED_KIND_H

enum stored_kind {
	STORED_MEMORIES,
	STORED_TOOLS, /* saved tools */
	STORED_EXECUTIONS, /* which only time removes */
	STORED_KINDS
};

/* Stands for the scopes of all owners: none has this name. */
#define SCOPE_ALL "*"

/* What is read of an execution. */
enum output_part {
	OUTPUT_PART_OUT,
	OUTPUT_PART_ERRORS,
	OUTPUT_PART_ALL, /* its facts and output, as JSON */
	OUTPUT_PARTS
};

enum stored_drop {
	STORED_DROP_ONE,
	STORED_DROP_ALL,
	STORED_DROP_IGNORED, /* the tools whose names are no longer accepted */
	STORED_DROPS
};

#endif
