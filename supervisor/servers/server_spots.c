/*
 * The positions of entries in their files, and of one more entry, as reported
 * by the reader. The reader parses foreign bytes, so its positions are checked:
 * they are within the file, and only blanks may surround an entry. Runs in the
 * supervisor.
 */
#include <stdlib.h>
#include <string.h>

#include "../../common/base/mem.h"
#include "server_spots.h"

/* Returns the last reported entry of the current file, or NULL. */
static struct server *
server_spots_last(struct servers *servers)
{
	struct server *last = TAILQ_LAST(&servers->list, server_list);

	return last == NULL || servers->current == NULL ||
	    last->file != servers->current ? NULL : last;
}

const char *
server_spots_set(struct servers *servers, struct ipc_spot *spot)
{
	struct server *server = server_spots_last(servers);

	if (server == NULL || server->spot != NULL)
		return "the place of no server";
	if (spot->start > spot->end ||
	    (spot->comma != 0 && spot->comma <= spot->end))
		return "a place that is none";
	server->spot = mem_alloc(sizeof(*server->spot));
	server->spot->start = (size_t)spot->start;
	server->spot->end = (size_t)spot->end;
	server->spot->comma = (size_t)spot->comma;
	server->spot->tied = mem_strdup(spot->tied);
	server->spot->fixed = mem_strdup(spot->fixed);
	return NULL;
}

const char *
server_spots_cut(struct servers *servers, struct ipc_cut *cut)
{
	struct server *server = server_spots_last(servers);
	struct server_spot *spot = server == NULL ? NULL : server->spot;

	if (spot == NULL || spot->count >= CONFIG_CUTS_MAX)
		return "bytes of no server";
	if (cut->start >= cut->end || (spot->count > 0 &&
	        cut->start < spot->cuts[spot->count - 1].end))
		return "bytes in no order";
	spot->cuts[spot->count++] = (struct server_cut){
		(size_t)cut->start, (size_t)cut->end };
	return NULL;
}

static int
server_spots_is_blank(const char *text)
{
	return text[strspn(text, " \t\r\n")] == '\0';
}

const char *
server_spots_set_gap(struct servers *servers, struct ipc_gap *gap)
{
	struct server_gap *made;

	if (servers->current == NULL || servers->current->gap != NULL)
		return "a gap in no file";
	if (!server_spots_is_blank(gap->line) ||
	    !server_spots_is_blank(gap->deeper) ||
	    !server_spots_is_blank(gap->behind) ||
	    gap->comma > gap->at + 1)
		return "a gap that is none";
	made = mem_alloc(sizeof(*made));
	made->form = (enum config_gap)gap->form;
	made->at = (size_t)gap->at;
	made->comma = (size_t)gap->comma;
	made->line = mem_strdup(gap->line);
	made->deeper = mem_strdup(gap->deeper);
	made->behind = mem_strdup(gap->behind);
	made->why = mem_strdup(gap->why);
	servers->current->gap = made;
	return NULL;
}

void
server_spots_free(struct server_spot **spotp)
{
	struct server_spot *spot = mem_take(spotp);

	if (spot == NULL)
		return;
	free(spot->tied);
	free(spot->fixed);
	free(spot);
}

void
server_spots_free_gap(struct server_gap **gapp)
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
