/*
 * Long-running workers: see process.h. Runs in the supervisor.
 */
#include <errno.h>

#include "../../common/base/fd.h"
#include "process.h"

static void
service_on_process_ended(void *ctx, const struct child_end *end)
{
	struct service *service = ctx;

	(void)end;
	service->process = NULL;
}

int
service_start(struct service *service, unsigned int uid, struct err *err)
{
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
