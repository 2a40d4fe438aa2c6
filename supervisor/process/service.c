/* Long-running workers: see process.h. */
#include <errno.h>

#include "../../common/base/clock.h"
#include "../../common/base/fd.h"
#include "../../common/base/log.h"
#include "../../common/base/loop.h"
#include "process.h"

/* What a user reads behind the name of the process. */
static const char service_exited[] =
    "exited: try again; it restarts on the next request";
static const char service_hangs[] =
    "did not answer in time: try again; it restarts on the next request";
static const char service_lost[] =
    "cannot be reached: try again; it restarts on the next request";
static const char service_wrong[] =
    "violated the protocol: if the programs of Caisson are of one build, this "
    "is a bug; please report it";

/* Those that were started. */
static struct service *services[ROLES];

static const char *
service_name(const struct service *service)
{
	return role_info(service->role)->name;
}

/* Returns the one with this context. */
static struct service *
service_of(const void *ctx)
{
	enum role role = 0;

	while (services[role] == NULL || services[role]->ctx != ctx)
		role++;
	return services[role];
}

static void
service_end_process(struct service *service)
{
	channel_free(&service->channel);
	reaper_forget(&service->process);
	service->forget(service->ctx);
}

/* It may ignore its usual signal. */
static void
service_lose(struct service *service, const char *why)
{
	reaper_kill(service->process);
	service_end_process(service);
	service->why = why;
	event_active(service->timer, EV_TIMEOUT, 0);
}

static void
service_start_later(struct service *service)
{
	if (service->again_ms > 0)
		loop_set_timer(service->timer, service->again_ms);
}

/* What it was asked has failed, or it is started again. */
static void
service_on_timer(evutil_socket_t, short, void *arg)
{
	struct service *service = arg;
	const char *why = service->why;
	struct err err;

	service->why = NULL;
	if (why == NULL &&
	    (service->again_ms == 0 || service_want(service, &err) == 0))
		return;
	service_start_later(service);
	if (why != NULL)
		service->failed(service->ctx, why);
	else
		log_error("the %s process cannot be started: %s; the next "
		    "attempt follows", service_name(service), err.text);
}

static void
service_exit(struct service *service)
{
	if (!service->leaving)
		log_error("the %s process exited; what it was asked has "
		    "failed; it restarts%s", service_name(service),
		    service->again_ms > 0 ? "" : " on the next request");
	service_lose(service, service_exited);
}

void
service_closed(void *ctx, const struct err *why)
{
	struct service *service = service_of(ctx);

	if (why == NULL) {
		service_exit(service);
		return;
	}
	log_error("%s the %s process: %s", channel_blame(why),
	    service_name(service), why->text);
	service_lose(service, why->code == 0 ? service_wrong : service_lost);
}

void
service_violate(void *ctx, const char *what)
{
	struct err why;

	err_set(&why, "%s", what);
	service_closed(ctx, &why);
}

void
service_hang(struct service *service)
{
	log_error("the %s process does not answer and is killed",
	    service_name(service));
	service_lose(service, service_hangs);
}

int
service_sent(struct service *service, int sent, const struct err *err)
{
	if (sent == -1) {
		log_error("cannot send to the %s process: %s",
		    service_name(service), err->text);
		service_lose(service, service_lost);
	}
	return sent;
}

static void
service_on_process_ended(void *ctx, const struct child_end *)
{
	struct service *service = ctx;

	service->process = NULL;
}

int
service_may_start(struct service *service, uint64_t now_ms, struct err *err)
{
	unsigned int n;

	if (now_ms < service->rests_ms)
		return err_set(err, "the %s process exits at each start: the "
		    "next one is in %llu ms", service_name(service),
		    (unsigned long long)(service->rests_ms - now_ms));
	service->early = service->starts > 0 &&
	    now_ms < service->rests_ms + SERVICE_EARLY_MS ?
	        service->early + 1 : 0;
	service->rests_ms = now_ms;
	if (service->early >= SERVICE_TRIES) {
		n = service->early - SERVICE_TRIES;
		service->rests_ms += POOL_PAUSE_FIRST_MS << (n < 7 ? n : 7);
	}
	return 0;
}

int
service_start(struct service *service, struct err *err)
{
	struct channel_ends ends =
	    worker_ends(service->role, service_closed, service->ctx);
	auto_fd int pidfd = -1;

	if (service_may_start(service, clock_ms(), err) == -1)
		return -1;
	services[service->role] = service;
	service->channel = worker_start(service->base, &ends,
	    ++service->starts, 0, -1, &pidfd, err);
	if (service->channel == NULL)
		return -1;
	service->process = reaper_watch(
	    service->base, &pidfd, service_on_process_ended, service);
	reaper_keep_running(service->process);
	return 0;
}

int
service_want(struct service *service, struct err *err)
{
	if (service->timer == NULL)
		service->timer =
		    evtimer_new(service->base, service_on_timer, service);
	if (service->channel != NULL && !reaper_alive(service->process))
		service_exit(service);
	if (service->channel != NULL || service->start(service->ctx, err) == 0)
		return 0;
	service_end_process(service);
	return -1;
}

int
service_ask(struct service *service,
    int (*ask)(void *ctx, void *question, struct err *err), void *question,
    struct err *err)
{
	int answer = ask(service->ctx, question, err);

	/*
	 * It had ended without notice, or was killed during its start: start
	 * another one.
	 */
	if (answer == -1 && (err->code == EPIPE || err->code == ECONNRESET))
		answer = ask(service->ctx, question, err);
	return answer;
}

void
service_stop(struct service *service)
{
	service->again_ms = 0;
	service->why = NULL;
	loop_event_free(&service->timer);
	service_end_process(service);
	if (services[service->role] == service)
		services[service->role] = NULL;
}

void
services_finish(void)
{
	enum role role;

	for (role = 0; role < ROLES; role++)
		if (services[role] != NULL && services[role]->lingers &&
		    services[role]->process != NULL) {
			channel_free(&services[role]->channel);
			/* 0 is no signal. */
			reaper_finish_with(services[role]->process, 0);
		}
}
