/*
 * The positions of entries in their files, and of one more entry, as reported
 * by the reader for the files of the client that servers_setup names. Commands
 * use them to cut and copy bytes of those files.
 */
#ifndef SUPERVISOR_SERVER_LOCATIONS_H
#define SUPERVISOR_SERVER_LOCATIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "../../common/config_shape.h"
#include "../../common/ipc/ipc.h"
#include "servers.h"

/* The position of an entry in its file; message LOCATION defines the fields. */
struct server_location {
	size_t start;
	size_t end;
	size_t comma;
	size_t cut_start;
	size_t cut_end;
	char *tied;
	char *fixed;
};

/* The position of one more entry; message GAP defines the fields. */
struct server_gap {
	enum config_gap form;
	size_t at;
	bool more;
	char *line;
	char *deeper;
	char *behind;
	char *why;
};

/*
 * Store a report of the reader on its last entry, or on the file. Return NULL,
 * or the fault of the report.
 */
const char *server_locations_set(
    struct servers *servers, struct ipc_location *location);
const char *server_locations_set_gap(
    struct servers *servers, struct ipc_gap *gap);

/* Free them; NULL is accepted. */
void server_locations_free(struct server_location **location);
void server_locations_free_gap(struct server_gap **gap);

#endif
