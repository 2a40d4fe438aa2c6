/*
 * Long-running workers: see process.h. Runs in the supervisor.
 */
#include <errno.h>

#include "../../common/base/fd.h"
#include "process.h"

/* Those that linger, and have a process. */
static SLIST_HEAD(, service) services = SLIST_HEAD_INITIALIZER(services);

static void
service_on_process_ended(void *ctx, const struct child_end *end)
{
	struct service *service = ctx;

	(void)end;
	service->process = NULL;
	if (service->lingers)
		SLIST_REMOVE(&services, service, service, entry);
}

int
service_start(struct service *service, struct err *err)
{
	unsigned int uid = role_info(service->role)->user == ROLE_USER_OURS ?
	    0 : identity_relay();
	struct channel_ends ends =
	    worker_ends(service->role, service->closed, service->ctx);
	auto_fd int pidfd = -1;

	service->channel = worker_start(service->base, &ends,
	    ++service->starts, uid, -1, &pidfd, err);
	if (service->channel == NULL)
		return -1;
	service->process = reaper_watch(
	    service->base, &pidfd, service_on_process_ended, service);
	reaper_keep_running(service->process);
	if (service->lingers)
		SLIST_INSERT_HEAD(&services, service, entry);
	return 0;
}

int
service_has_died(const struct service *service)
{
	return service->channel != NULL && !reaper_alive(service->process);
}

void
service_end(struct service *service)
{
	if (service->lingers && service->process != NULL)
		SLIST_REMOVE(&services, service, service, entry);
	channel_free(&service->channel);
	reaper_forget(&service->process);
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
services_finish(void)
{
	struct service *service;

	SLIST_FOREACH (service, &services, entry) {
		channel_free(&service->channel);
		/* 0 is no signal. */
		reaper_finish_with(service->process, 0);
	}
}
