/*
 * The processes of one native box: see native.h. Killed processes are reaped
 * later.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../common/base/loop.h"
#include "../../../common/box_step.h"
#include "../../../common/box_usage.h"
#include "../../../common/base/clock.h"
#include "../../../common/base/fd.h"
#include "../../../common/json/json.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../../process/process.h"
#include "../cgroup/cgroup.h"
#include "native.h"
#include "../shared/language.h"

struct native {
	struct channel *channel; /* to its launcher, until the box is built */
	struct child *launcher; /* NULL: no launcher of its own */
	struct child_end launched; /* how the launcher ended; code 0: unknown */
	bool unexplained; /* its channel has closed; how it ended is awaited */
	struct child *init; /* process 1 of the box */
	struct child *code;
	struct group *group; /* its cgroup, or NULL */
	int usage; /* the file with the struct box_usage of init, or -1 */
	bool unheard; /* the channel is not read for the moment */
	bool is_weak; /* reduced isolation: code is its guard */
	bool stays; /* it can run code several times */
	uint64_t cleared; /* the count of usage before the last clear */
	struct python_stamp python; /* at its start */
	unsigned long template; /* that was asked to fork it; 0: none */
	unsigned long forked;   /* boxes of all templates, when last seen */
	struct event *hang;     /* it is ended, but not reported; or NULL */
	uint64_t hang_ms;       /* when that event is due */
};

/* Facts */

const struct native_facts *
native_facts(const struct box_facts *facts)
{
	return facts->runtime == &native_runtime ? facts->detail : NULL;
}

/* Returns the name of the mechanism that limits its resources. */
static const char *
native_limits(const struct native_facts *facts)
{
	if (facts->grouped)
		return "cgroup";
	return facts->watchdog ? "rlimit+watchdog" : "rlimit";
}

/*
 * Adds the level of isolation, the missing layers, and the reason if reduced.
 */
static void
native_add_level(struct buffer *json, const struct native_facts *facts)
{
	if (facts->weak == NULL) {
		buffer_printf(json, "\"level\":\"full\",%s\"namespaces\":"
		    "[\"user\",\"mnt\",\"pid\",\"net\",\"ipc\",\"uts\","
		    "\"cgroup\"],",
		    facts->unnamed ? "\"missing\":[\"host name\"]," : "");
		return;
	}
	buffer_add_text(json, "\"level\":\"weak\",\"because\":");
	json_add_text(json, facts->weak);
	buffer_printf(json, ",\"missing\":[\"namespaces\",\"own root\","
	    "\"limit on files\",\"/dev/shm\"%s],\"namespaces\":[],",
	    facts->grouped ? "" : ",\"limit on memory as a whole\"");
}

static void
native_add_facts(struct buffer *json, const void *detail)
{
	const struct native_facts *facts = detail;
	/* Whether all directories of the host are behind overlays. */
	int overlay = facts->weak == NULL && facts->bound == NULL;

	buffer_add_text(json, "{\"runtime\":\"native\",");
	native_add_level(json, facts);
	buffer_add_text(json, "\"seccomp\":\"allow-list\",");
	if (facts->landlock > 0)
		buffer_printf(json, "\"landlock\":%u,", facts->landlock);
	else
		buffer_add_text(json, "\"landlock\":null,");
	buffer_printf(json, "\"overlay\":%s,", overlay ? "true" : "false");
	buffer_printf(json, "\"proc\":%s,\"limits\":\"%s\","
	    "\"network\":\"none\"}", facts->proc ? "true" : "false",
	    native_limits(facts));
}

/* Returns them with a text, which is empty or copied. */
static struct native_facts *
native_facts_new(unsigned int landlock, const char *text)
{
	size_t size = strlen(text) + 1;
	struct native_facts *facts = mem_alloc(sizeof(*facts) + size);

	memcpy(facts->text, text, size);
	facts->landlock = landlock;
	return facts;
}

/* The box is built: takes the facts, and the directories. */
static void
native_tell_facts(
    struct box *box, struct native_facts *own, struct ipc_started *started)
{
	const struct native *native = box->inside;
	struct box_told told = { .detail = own };

	own->grouped = native->group != NULL;
	if (own->weak != NULL)
		told.weak = "no namespaces: CAISSON_ALLOW_WEAK_ISOLATION";
	if (started != NULL) {
		told.out_dir = &started->out_dir;
		told.data = &started->data;
	}
	box_report(box, BOX_ON_BUILT, &told);
}

/* Its channel */

/* Nothing is heard of the box any more. */
static void
native_close_channel(struct native *native)
{
	native->unheard = false;
	channel_free(&native->channel);
}

/* A process of the box has ended: it may have told why. */
static void
native_listen(struct native *native)
{
	if (!native->unheard)
		return;
	native->unheard = false;
	channel_pause(native->channel, 0);
}

/*
 * The box is built. Usually the next on its channel is the end of that, when
 * the interpreter runs, which the relay reports, too.
 */
static void
native_ignore(struct native *native)
{
	channel_pause(native->channel, 1);
	native->unheard = true;
}

static void
native_began(struct box *box)
{
	const struct box_told told = { .untold = true };
	struct native *native = box->inside;

	if (!native->unheard)
		return;
	native_close_channel(native);
	box_report(box, BOX_ON_TOLD, &told);
}

/* Its processes */

static void native_await_fork(struct box *box);

/*
 * The launcher hangs, and its process is not known. The template waits for it
 * and forks no other box, so it is killed. The boxes that it should have forked
 * next then lose their channels, and are no longer being built. After that, the
 * reaper kills the launcher, as a child that it does not know.
 */
static void
native_on_hang(evutil_socket_t, short, void *arg)
{
	struct box *box = arg;
	struct native *native = box->inside;
	const struct native_boxes *shared = native_boxes(box->boxes);

	/* A launcher whose channel has ended has ended, too. */
	if (!box->launch.forking || native->channel == NULL)
		return;
	/*
	 * If the event came as late as if everything had been stopped, as in a
	 * container that is paused, no launcher has had its time.
	 */
	if (native->forked != shared->forked ||
	    clock_ms() >= native->hang_ms + box->boxes->times.hang) {
		native_await_fork(box);
		return;
	}
	log_error("box %lu: its launcher hangs: template[%lu] is ended, too",
	    box->number, native->template);
	templates_kill(shared->templates, native->template);
	box_report(box, BOX_ON_WATCHED, NULL);
	reaper_kill_orphans();
}

/* The box was ended while its template may still fork it: waits for that. */
static void
native_await_fork(struct box *box)
{
	struct native *native = box->inside;

	native->forked = native_boxes(box->boxes)->forked;
	native->hang_ms = clock_ms() + box->boxes->times.hang;
	if (native->hang == NULL)
		native->hang =
		    evtimer_new(box->boxes->base, native_on_hang, box);
	loop_set_timer(native->hang, box->boxes->times.hang);
}

static void
native_kill(struct box *box)
{
	struct native *native = box->inside;

	if (box->launch.forking)
		native_await_fork(box);

	/* Processes not reported yet are killed with the launcher. */
	reaper_kill(native->launcher);
	reaper_kill(native->init);
	/* The call waits for these ends, so a sweep would be too late. */
	reaper_hurry(native->init);
	reaper_hurry(native->code);
	/* A guard gets a signal, not SIGKILL: it ends the other processes. */
	reaper_end(native->code);
	if (!native->is_weak || native->code == NULL)
		group_kill(native->group);
}

/*
 * When the pipes have ended, the code has usually ended, too: then nothing
 * else has to wait for that. If it ends before its pipes, a sweep notices it.
 */
static int
native_hear(struct box *box, enum box_event event, struct err *)
{
	struct native *native = box->inside;

	if (event == BOX_ON_DRAINED)
		return reaper_look(native->code);
	if (event != BOX_ON_TIME) {
		native_began(box);
		return 0;
	}
	native_close_channel(native);
	/* The launcher may hang, and its template with it. */
	if (box->launch.forking)
		reaper_kill_orphans();
	return 0;
}

static int
native_alive(const struct box *box)
{
	const struct native *native = box->inside;
	const struct child *const children[] = { native->code, native->init };

	return reaper_all_alive(children, native->is_weak ? 1 : 2);
}

/* Reads the identity of the interpreter of the box. */
static void
native_look(const struct box *box, struct python_stamp *stamp)
{
	python_stamp_look(
	    language_interpreter(box->language, box->boxes->options), stamp);
}

/* Sessions */

static void native_take_seen_usage(
    const struct native *native, uint64_t *cpu_us, uint64_t *peak_kib);

static int
native_stays(const struct box *box)
{
	const struct native *native = box->inside;

	return native->stays;
}

static void
native_signal(struct box *box, int sig)
{
	struct native *native = box->inside;

	reaper_signal(native->code, sig);
}

/* Returns what init has written last; all 0: nothing yet. */
static struct box_usage
native_read_usage(const struct native *native)
{
	struct box_usage usage;

	return pread(native->usage, &usage, sizeof(usage), 0) == sizeof(usage) ?
	    usage : (struct box_usage){ 0 };
}

static void
native_clear(struct box *box)
{
	struct native *native = box->inside;

	native->cleared = native_read_usage(native).cleared;
	reaper_signal(native->init, BOX_CLEAR);
}

/*
 * The code may have sent the signal, too: then its processes were also ended
 * after native_clear.
 */
static int
native_cleared(const struct box *box)
{
	const struct native *native = box->inside;

	return native_read_usage(native).cleared != native->cleared;
}

static uint64_t
native_used_us(const struct box *box)
{
	const struct native *native = box->inside;
	uint64_t cpu_us = reaper_cpu_us(native->code), peak_kib = 0;
	struct group_usage usage;

	if (native->group == NULL)
		native_take_seen_usage(native, &cpu_us, &peak_kib);
	else if (group_read(native->group, &usage, NULL) == 0)
		cpu_us = usage.cpu_us;
	return cpu_us;
}

static uint64_t
native_bytes(const struct box *box)
{
	const struct native *native = box->inside;
	char text[32];

	if (native->group != NULL)
		return cgroup_file_read(group_fd(native->group),
		    "memory.current", text, sizeof(text), NULL) == 0 ?
		    strtoull(text, NULL, 10) : 0;
	return native_read_usage(native).bytes;
}

static int
native_current(const struct box *box)
{
	const struct native *native = box->inside;
	struct python_stamp now;

	native_look(box, &now);
	return python_stamp_same(&native->python, &now);
}

static void
native_want(struct boxes *boxes)
{
	templates_want(native_boxes(boxes)->templates);
}

static void
native_free(struct box *box, int lingers)
{
	struct native *native = mem_take(&box->inside);

	loop_event_free(&native->hang);
	/* A launcher that has closed its channel exits. */
	if (native->channel == NULL)
		reaper_leave_ending(&native->launcher);
	channel_free(&native->channel);
	if (lingers)
		reaper_leave(&native->init);
	reaper_forget(&native->code);
	reaper_forget(&native->init);
	reaper_forget(&native->launcher);
	group_free(&native->group);
	fd_close(&native->usage);
	free(native);
}

/* Nothing more is told of the box. If it was not built, its launcher failed. */
static void
native_tell_all(struct box *box)
{
	const struct native *native = box->inside;
	const struct child_end *end = &native->launched;
	auto_free char *how = signal_or_code(end);

	if (!box_knows(box, BOX_IS_BUILT) && end->code != 0)
		box_spoil(box, "the box cannot be built, and no code ran: its "
		    "launcher %s; %s", how,
		    end->code == CLD_KILLED && end->status == SIGKILL ?
		        "end what kills it, or free memory if the kernel did "
		        "('dmesg' says so)" :
		        "the log has its message, and 'caisson selftest' tries "
		        "it again");
	box_report(box, BOX_ON_TOLD, NULL);
}

static void
native_on_launcher_ended(void *ctx, const struct child_end *end)
{
	struct native *native = ((struct box *)ctx)->inside;

	native->launcher = NULL;
	native->launched = *end;
	if (native->unexplained)
		native_tell_all(ctx);
}

/*
 * Uses the numbers of init if they are higher: it has measured all processes.
 * The kernel reports only the code and the children that it waited for,
 * exactly.
 */
static void
native_take_seen_usage(
    const struct native *native, uint64_t *cpu_us, uint64_t *peak_kib)
{
	const struct box_usage usage = native_read_usage(native);

	if (usage.cpu_us > *cpu_us)
		*cpu_us = usage.cpu_us;
	if (usage.peak_kib > *peak_kib)
		*peak_kib = usage.peak_kib;
}

/* Uses the numbers of the cgroup, if there is one. */
static void
native_take_group_usage(const struct box *box, struct box_end *end)
{
	const struct native *native = box->inside;
	struct group_usage usage;
	struct err err;
	int ran_out;

	if (native->group == NULL)
		return;
	/* At its limit it is killed as a whole. */
	ran_out = end->exited ? 0 : group_ran_out(native->group, &err);
	if (ran_out == -1 || group_read(native->group, &usage, &err) == -1) {
		log_error("box %lu: its cgroup: %s", box->number, err.text);
		return;
	}
	if (ran_out)
		end->cause = BOX_CAUSE_MEMORY;
	end->cpu_us = usage.cpu_us;
	if (usage.peak_kib > 0)
		end->peak_kib = usage.peak_kib;
}

/* Returns why init has ended the box, from the status of init. */
static enum box_cause
native_cause(const struct child_end *end)
{
	if (end->code != CLD_EXITED)
		return BOX_CAUSE_CODE;
	switch (end->status) {
	case BOX_EXIT_MEMORY:
		return BOX_CAUSE_MEMORY;
	case BOX_EXIT_BLIND:
		return BOX_CAUSE_UNWATCHED;
	case BOX_EXIT_LOOSE:
		return BOX_CAUSE_LOOSE;
	default:
		return BOX_CAUSE_CODE;
	}
}

/* Process 1 of the box has ended, after every other process of it. */
static void
native_on_init_ended(void *ctx, const struct child_end *end)
{
	struct box *box = ctx;
	struct native *native = box->inside;
	const struct box_told told = { .cause = native_cause(end),
		.known = native->code == NULL ? BOX_HAS_STATUS : 0 };

	native_listen(native);
	native->init = NULL;
	if (native->group == NULL)
		native_take_seen_usage(
		    native, &box->end.cpu_us, &box->end.peak_kib);
	box_report(box, BOX_ON_GONE, &told);
}

/* The code has ended: its exact status; its leftover processes end with it. */
static void
native_on_code_ended(void *ctx, const struct child_end *child_end)
{
	struct box *box = ctx;
	struct native *native = box->inside;
	struct box_end end = { .exited = child_end->code == CLD_EXITED };
	const struct box_told told = { .end = &end,
		.gone_follows = native->init != NULL,
		.rests = native->init != NULL };

	if (end.exited)
		end.exit_code = child_end->status;
	else
		end.signal = child_end->status;
	native_listen(native);
	native->code = NULL;
	end.cpu_us = (uint64_t)child_end->usage.ru_utime.tv_sec * 1000000 +
	    (uint64_t)child_end->usage.ru_utime.tv_usec +
	    (uint64_t)child_end->usage.ru_stime.tv_sec * 1000000 +
	    (uint64_t)child_end->usage.ru_stime.tv_usec;
	end.peak_kib = (uint64_t)child_end->usage.ru_maxrss;
	native_take_seen_usage(native, &end.cpu_us, &end.peak_kib);
	native_take_group_usage(box, &end);
	/* A guard that was killed has ended no other process. */
	if (native->is_weak && end.signal == SIGKILL)
		reaper_kill_orphans();
	box_report(box, BOX_ON_STATUS, &told);
}

/* How it is built */

/*
 * Tells the launcher that its processes are watched. Returns -1 if it cannot be
 * told; if it has ended, the closed channel reports that.
 */
static int
native_adopt(struct box *box)
{
	struct native *native = box->inside;
	struct ipc_adopted adopted = { 0 };
	struct err err;

	box_report(box, BOX_ON_WATCHED, NULL);
	if (channel_send_adopted(native->channel, &adopted, &err) == 0)
		return 0;
	if (err.code != EPIPE)
		box_spoil(box, "the box cannot be adopted: %s", err.text);
	return -1;
}

static void
native_watch_launcher(struct box *box, int *launcher)
{
	struct native *native = box->inside;

	native->launcher = reaper_watch_idly(box->boxes->base, launcher,
	    native_on_launcher_ended, box);
}

/*
 * Watches the processes of the box. Returns 0, or -1 if it is not known who its
 * launcher is: only one that a template has forked tells that.
 */
static int
native_watch(struct box *box, struct ipc_started *started)
{
	struct event_base *base = box->boxes->base;
	struct native *native = box->inside;
	int forked = box->launch.forking;

	native->init = reaper_watch_idly(
	    base, &started->init, native_on_init_ended, box);
	native->code = reaper_watch_idly(
	    base, &started->code, native_on_code_ended, box);
	/* No relay tells when the code of a session ends. */
	if (box->how & BOX_SESSION)
		reaper_hurry(native->code);
	box->launch.forking = false;
	if ((started->launcher != -1) != forked)
		return -1;
	if (forked) {
		native_boxes(box->boxes)->forked++;
		native_watch_launcher(box, &started->launcher);
	}
	return 0;
}

/*
 * A later call of a session may need its workspace, which the code may have
 * made unreadable by then: opens it before any code runs. If that fails, the
 * call tries it again, and reports why.
 */
static void
native_keep_workspace(struct box *box, int out_dir)
{
	struct err err;

	if (box->how & BOX_SESSION)
		box->files.workspace = box_open_workspace(out_dir, &err);
}

void
native_on_started(struct box *box, struct ipc_started *started)
{
	struct native_facts *facts;
	struct native *native = box->inside;

	native_keep_workspace(box, started->out_dir);
	if (native_watch(box, started) == -1) {
		box_spoil(box, "protocol violation by the box: a wrong number "
		    "of launchers");
	} else if (native_adopt(box) == 0) {
		facts = native_facts_new(
		    (unsigned int)started->landlock, started->bound);
		if (started->bound[0] != '\0')
			facts->bound = facts->text;
		facts->proc = started->proc != 0;
		native->stays = (box->how & BOX_SESSION) && facts->proc;
		facts->watchdog = started->watchdog != 0;
		facts->unnamed = started->unnamed != 0;
		native_tell_facts(box, facts, started);
		/* Only a bootstrap asks for code. */
		if (box->language->image == NULL)
			native_ignore(native);
		if (box_knows(box, BOX_HAS_ASKED))
			native_began(box);
	}
	box_report(box, BOX_ON_PROCESS, NULL);
}

/*
 * With reduced isolation the supervisor's child is the guard, which exits with
 * the status of the code.
 */
void
native_on_guarded(struct box *box, int *guard, unsigned int landlock,
    const char *weak)
{
	struct native *native = box->inside;
	struct native_facts *facts;

	native->is_weak = true;
	native->code = reaper_watch(
	    box->boxes->base, guard, native_on_code_ended, box);
	reaper_finish_with(native->code, BOX_GUARD_END);
	if (native_adopt(box) == 0) {
		facts = native_facts_new(landlock, weak);
		facts->weak = facts->text;
		native_tell_facts(box, facts, NULL);
	}
	box_report(box, BOX_ON_PROCESS, NULL);
}

/*
 * The launcher and all processes it started have closed the channel, or it has
 * failed.
 */
static void
native_on_channel_closed(void *ctx, const struct err *why)
{
	const struct box_told told = { .why = why };
	struct box *box = ctx;
	struct native *native = box->inside;

	native_close_channel(native);
	if (why != NULL) {
		box_report(box, BOX_ON_TOLD, &told);
	} else if (native->launcher == NULL || box_knows(box, BOX_IS_BUILT)) {
		native_tell_all(box);
	} else {
		native->unexplained = true;
		reaper_look(native->launcher);
	}
}

/* Starting it */

static int
native_start_launcher(struct box *box, struct err *err)
{
	struct boxes *boxes = box->boxes;
	struct native *native = box->inside;
	struct channel_ends ends =
	    worker_ends(ROLE_BOX, native_on_channel_closed, box);
	auto_fd int pidfd = -1;

	if (native_boxes(boxes)->cgroup != NULL) {
		native->group = group_new(native_boxes(boxes)->cgroup,
		    box->number, box->limits, err);
		if (native->group == NULL)
			return err_wrap(err, "start Caisson again, as the "
			    "cgroup that was delegated to it may have changed");
	}
	native->channel = launcher_start(boxes, &ends, box->number,
	    (box->how & BOX_NO_TEMPLATE) || !box->language->forked ?
	        NULL : &native->python,
	    native->group, &pidfd, err);
	if (native->channel == NULL)
		return -1;
	if (pidfd == -1) {
		box->launch.forking = true;
		native->template =
		    templates_asked(native_boxes(boxes)->templates);
	} else
		native_watch_launcher(box, &pidfd);
	box_report(box, BOX_ON_LAUNCHED, NULL);
	return 0;
}

/*
 * Otherwise a box with another user could not open /dev/stdout, a pipe, nor a
 * bootstrap those of the relay again (worker/box/javascript/mcp/pipes.mjs).
 */
static int
native_give_pipes(const struct ipc_setup *setup, struct err *err)
{
	const int pipes[] = { setup->control_in, setup->control_out,
		setup->out, setup->errors };
	uid_t uid = (uid_t)setup->uid;
	size_t i;

	for (i = 0; uid != 0 && i < sizeof(pipes) / sizeof(pipes[0]); i++)
		if (fchown(pipes[i], uid, uid) == -1)
			return err_sys(err, "give the pipes to the box");
	return 0;
}

static int
native_ask(struct box *box, struct box_pipes *pipes, struct err *err)
{
	struct native *native = box->inside;
	struct ipc_setup setup = { 0 };

	native_request_fill(box->boxes, box->limits, box->language, &setup);
	setup.uid = box->files.uid;
	setup.session = (box->how & BOX_SESSION) != 0;
	setup.stops = setup.session && !box->boxes->options->session_threads;
	setup.control_in = fd_take(&pipes->control_in);
	setup.control_out = fd_take(&pipes->control_out);
	setup.out = fd_take(&pipes->out);
	setup.errors = fd_take(&pipes->errors);
	setup.number = box->number;
	setup.usage = IPC_LEND(native->usage);
	/* The pipes are sent and closed like those of a message. */
	if (native_give_pipes(&setup, err) == -1)
		log_error("%s", err->text);
	/* If it has ended, the closed channel reports that. */
	return channel_send_setup(native->channel, &setup, err) == 0 ||
	        err->code == EPIPE ? 0 : -1;
}

static int
native_start(struct box *box, struct box_pipes *pipes, struct err *err)
{
	struct native *native = mem_alloc(sizeof(*native));

	box->inside = native;
	native_look(box, &native->python);
	native->usage = ipc_make_usage(sizeof(struct box_usage), err);
	return native->usage == -1 ||
	        native_start_launcher(box, err) == -1 ||
	        native_ask(box, pipes, err) == -1 ? -1 : 0;
}

static const struct runtime_templates native_templates = {
	.want = native_want,
	.awaited = templates_awaited,
	.rest = templates_rest,
	.current = native_current,
};

static const struct runtime_sessions native_sessions = {
	.stays = native_stays,
	.signal = native_signal,
	.clear = native_clear,
	.cleared = native_cleared,
	.used_us = native_used_us,
	.bytes = native_bytes,
};

static const struct runtime_shared native_shared = {
	.probe = native_probe,
	.finish = native_finish,
};

const struct runtime native_runtime = {
	.name = "native",
	.start = native_start,
	.hear = native_hear,
	.kill = native_kill,
	.alive = native_alive,
	.free = native_free,
	.add_facts = native_add_facts,
	.shared = &native_shared,
	.templates = &native_templates,
	.sessions = &native_sessions,
};
