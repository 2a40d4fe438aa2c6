/*
 * Where entries stand in their files, and where one more goes, as the reader
 * tells it of the files of the client that servers_setup names. Commands cut
 * and copy bytes of those files by it. Runs in the supervisor.
 */
#ifndef SUPERVISOR_SERVER_SPOTS_H
#define SUPERVISOR_SERVER_SPOTS_H

#include <stddef.h>

#include "../../common/config_shape.h"
#include "../../common/ipc.h"
#include "../../common/limits.h"
#include "servers.h"

/* Bytes of a file. */
struct server_cut {
	size_t start;
	size_t end; /* behind them */
};

/* Where an entry stands in its file: SPOT says what these mean. */
struct server_spot {
	size_t start;
	size_t end;
	size_t comma;
	char *tied;
	char *fixed;
	struct server_cut cuts[CONFIG_CUTS_MAX];
	size_t count; /* of cuts */
};

/* Where one more entry goes: GAP says what these mean. */
struct server_gap {
	enum config_gap form;
	size_t at;
	size_t comma;
	char *line;
	char *deeper;
	char *behind;
	char *why;
};

/*
 * Takes what the reader says of the entry that was told last, or of the file.
 * Returns NULL, or what is wrong with it.
 */
const char *server_spots_set(struct servers *servers, struct ipc_spot *spot);
const char *server_spots_cut(struct servers *servers, struct ipc_cut *cut);
const char *server_spots_set_gap(
    struct servers *servers, struct ipc_gap *gap);

/* Frees them; NULL is accepted. */
void server_spots_free(struct server_spot **spot);
void server_spots_free_gap(struct server_gap **gap);

#endif
