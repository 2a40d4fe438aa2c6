/*
 * Finds the places in which configuration files may be, and the order in which
 * they are checked: see server_look_parts.h. Runs in the supervisor, once;
 * accesses no file.
 */
#include <stdlib.h>
#include <string.h>

#include "../../common/base/mem.h"
#include "server_look_parts.h"

/* The directory that contains steps, and the length of its path. */
struct server_look_in {
	struct server_folder *folder; /* NULL: it is not checked */
	size_t len;
};

/* Adds a step; takes path. */
static void
server_look_step(struct server_look *look, enum server_look_kind kind,
    char *path, const struct server_look_in *in)
{
	struct server_look_step *step = &look->steps[look->count++];

	step->kind = kind;
	step->path = path;
	step->in = in->folder;
	if (in->folder != NULL)
		step->name = mem_dup(
		    path, in->len + strcspn(path + in->len, "/"));
}

static void
server_look_place(struct server_look *look, struct server_place *place,
    const struct server_look_in *in)
{
	server_look_step(look,
	    place->folder ? SERVER_LOOK_FILES : SERVER_LOOK_FILE,
	    mem_take(&place->path), in);
}

/* Returns the length of the common directory of two paths, with its slash. */
static size_t
server_look_common(const char *one, const char *other)
{
	size_t i, len = 0;

	for (i = 0; one[i] != '\0' && one[i] == other[i]; i++)
		if (one[i] == '/')
			len = i + 1;
	return len;
}

/*
 * Returns how many of the next paths are below the same directory of this one.
 */
static size_t
server_look_group(const struct server_place *places, size_t n, size_t above)
{
	size_t i, len = above + strcspn(places[0].path + above, "/");

	for (i = 1; i < n; i++)
		if (server_look_common(places[0].path, places[i].path) <= len)
			return i;
	return n;
}

/*
 * Adds a gate: the directory that a path starts with, below folder ("": the
 * path is absolute). Returns it.
 */
static struct server_look_step *
server_look_gate(struct server_look *look, const char *folder,
    const char *path, size_t len, const struct server_look_in *in)
{
	struct server_look_step *gate = &look->steps[look->count];

	server_look_step(look, SERVER_LOOK_GATE, mem_dup(path, len), in);
	gate->place = mem_printf("%s%s%s", folder,
	    folder[0] == '\0' ? "" : "/", gate->path);
	return gate;
}

/*
 * Adds the places in one directory, and those below it; the part of their paths
 * up to that directory has gates already. They are sorted by path, so those of
 * a directory are adjacent.
 */
static void
server_look_below(struct server_look *look, struct server_place *places,
    size_t n, const struct server_look_in *in)
{
	struct server_look_in below;
	struct server_look_step *gate;
	size_t group, i;

	for (; n > 0; places += group, n -= group) {
		group = server_look_group(places, n, in->len);
		if (group < CONFIG_GATE_MIN) {
			for (i = 0; i < group; i++)
				server_look_place(look, &places[i], in);
			continue;
		}
		below.len = server_look_common(
		    places[0].path, places[group - 1].path);
		gate = server_look_gate(
		    look, "", places[0].path, below.len, in);
		below.folder = &gate->own;
		server_look_below(look, places, group, &below);
		gate->last = look->count - 1;
	}
}

/*
 * Adds the places in the working directory, whose author may be another user. A
 * gate is a name in it, never a path, which could contain links.
 */
static void
server_look_inside(
    struct server_look *look, struct server_place *places, size_t n)
{
	const struct server_look_in working = { &look->working, 0 };
	struct server_look_in below;
	struct server_look_step *gate;
	size_t len, i, group;

	for (; n > 0; places += group, n -= group) {
		len = strcspn(places->path, "/");
		for (group = 1; group < n; group++)
			if (strncmp(places->path, places[group].path,
			        len + 1) != 0)
				break;
		below = working;
		gate = NULL;
		if (places->path[len] == '/') {
			gate = server_look_gate(look, look->folder,
			    places->path, len, &working);
			below = (struct server_look_in){ &gate->own, len + 1 };
		}
		for (i = 0; i < group; i++)
			server_look_place(look, &places[i], &below);
		if (gate != NULL)
			gate->last = look->count - 1;
	}
}

static int
server_look_compare(const void *a, const void *b)
{
	const struct server_place *one = a, *other = b;

	if (one->project != other->project)
		return one->project - other->project;
	return strcmp(one->path, other->path);
}

/* Makes a path relative to the directory that it starts with. */
static void
server_look_shorten(char *path, const char *folder)
{
	const char *rest = server_open_relative(path, folder);

	memmove(path, rest, strlen(rest) + 1);
}

/*
 * Adds a check of the owner of a place's directory, once per directory. If that
 * has a gate, the gate tells: without the directory, nothing is in it.
 */
static void
server_look_owner(struct server_look *look, const struct server_place *place)
{
	const struct server_look_in none = { NULL, 0 };
	size_t i, len = strlen(place->home);

	for (i = 0; i < look->count; i++) {
		if (strncmp(look->steps[i].path, place->home, len) != 0)
			continue;
		if (look->steps[i].kind == SERVER_LOOK_OWNER &&
		    look->steps[i].path[len] == '\0')
			return;
		if (look->steps[i].kind == SERVER_LOOK_GATE &&
		    strcmp(look->steps[i].path + len, "/") == 0) {
			look->steps[i].owned = true;
			return;
		}
	}
	server_look_step(
	    look, SERVER_LOOK_OWNER, mem_strdup(place->home), &none);
}

struct server_look *
server_look_new(const struct servers_setup *setup)
{
	struct server_look *look = mem_alloc(sizeof(*look));
	/* The root directory is not checked. */
	const struct server_look_in root = { NULL, 1 };
	struct server_place place;
	auto_free struct server_place *places = NULL;
	size_t i, n = 0, users = 0;

	look->folder = setup->folder;
	for (i = 0; server_sources_place(i, setup, &place); i++) {
		if (place.path == NULL)
			continue;
		if (place.project)
			server_look_shorten(place.path, setup->folder);
		places = mem_resize(places, (n + 1) * sizeof(*places));
		places[n++] = place;
		users += !place.project;
	}
	/*
	 * Each gate serves several places, and no two gates the same ones; this
	 * also holds for directories of the user.
	 */
	look->steps = mem_alloc(3 * n * sizeof(*look->steps));
	qsort(places, n, sizeof(*places), server_look_compare);
	server_look_below(look, places, users, &root);
	for (i = 0; i < n; i++)
		if (places[i].home != NULL)
			server_look_owner(look, &places[i]);
	look->project = look->count;
	server_look_inside(look, places + users, n - users);
	return look;
}

void
server_look_free(struct server_look **lookp)
{
	struct server_look *look = mem_take(lookp);
	size_t i;

	if (look == NULL)
		return;
	for (i = 0; i < look->count; i++) {
		free(look->steps[i].path);
		free(look->steps[i].name);
		free(look->steps[i].place);
	}
	free(look->steps);
	free(look);
}
