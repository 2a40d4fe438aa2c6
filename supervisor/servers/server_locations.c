/*
 * The positions of entries in their files, and of one more entry, as reported
 * by the reader. The reader parses foreign bytes, so its positions are checked:
 * they are within the file, and only blanks may surround an entry.
 */
#include <stdlib.h>
#include <string.h>

#include "../../common/base/mem.h"
#include "server_locations.h"

/* Returns the last reported entry of the current file, or NULL. */
static struct server *
server_locations_last(struct servers *servers)
{
	struct server *last = TAILQ_LAST(&servers->list, server_list);

	return last == NULL || servers->current == NULL ||
	    last->file != servers->current ? NULL : last;
}

const char *
server_locations_set(struct servers *servers, struct ipc_location *location)
{
	struct server *server = server_locations_last(servers);

	if (server == NULL || server->location != NULL)
		return "the place of no server";
	if (location->start > location->end ||
	    (location->comma != 0 && location->comma <= location->end) ||
	    location->cut_start > location->cut_end)
		return "a place that is none";
	server->location = mem_alloc(sizeof(*server->location));
	server->location->start = (size_t)location->start;
	server->location->end = (size_t)location->end;
	server->location->comma = (size_t)location->comma;
	server->location->cut_start = (size_t)location->cut_start;
	server->location->cut_end = (size_t)location->cut_end;
	server->location->tied = mem_strdup(location->tied);
	server->location->fixed = mem_strdup(location->fixed);
	return NULL;
}

static int
server_locations_is_blank(const char *text)
{
	return text[strspn(text, " \t\r\n")] == '\0';
}

const char *
server_locations_set_gap(struct servers *servers, struct ipc_gap *gap)
{
	struct server_gap *made;

	if (servers->current == NULL || servers->current->gap != NULL)
		return "a gap in no file";
	if (!server_locations_is_blank(gap->line) ||
	    !server_locations_is_blank(gap->deeper) ||
	    !server_locations_is_blank(gap->behind))
		return "a gap that is none";
	made = mem_alloc(sizeof(*made));
	made->form = (enum config_gap)gap->form;
	made->at = (size_t)gap->at;
	made->more = gap->more != 0;
	made->line = mem_strdup(gap->line);
	made->deeper = mem_strdup(gap->deeper);
	made->behind = mem_strdup(gap->behind);
	made->why = mem_strdup(gap->why);
	servers->current->gap = made;
	return NULL;
}

void
server_locations_free(struct server_location **locationp)
{
	struct server_location *location = mem_take(locationp);

	if (location == NULL)
		return;
	free(location->tied);
	free(location->fixed);
	free(location);
}

void
server_locations_free_gap(struct server_gap **gapp)
{
	struct server_gap *gap = mem_take(gapp);

	if (gap == NULL)
		return;
	free(gap->line);
	free(gap->deeper);
	free(gap->behind);
	free(gap->why);
	free(gap);
}
