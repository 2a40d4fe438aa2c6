/*
 * The kernel's limits on this process: raised as its options require, before
 * any file is opened.
 */
#include <sys/resource.h>

#include "../options/options.h"
#include "process.h"

/* Always returns -1, with the fix in err. */
static int
process_limits_refuse_nofile(const struct options *options,
    unsigned int waiting, unsigned long long allowed,
    unsigned long long needed, struct err *err)
{
	static const unsigned long least =
	    SUPERVISOR_NOFILE_BASE + SUPERVISOR_NOFILE_CALL;

	err_set(err, "only %llu descriptors are allowed, but Caisson needs "
	    "%llu: raise the hard limit ('ulimit -n %llu' as root, "
	    "LimitNOFILE= in a systemd unit)", allowed, needed, needed);
	/* With fewer, even one call without a pool cannot run. */
	if (allowed >= least) {
		struct err why = *err;

		err_set(err, "%s or lower CAISSON_MAX_CONCURRENT (%u calls "
		    "at once) and CAISSON_POOL (%u boxes that wait), %d "
		    "descriptors for each", why.text, options->max_concurrent,
		    waiting, SUPERVISOR_NOFILE_CALL);
	}
	return -1;
}

/* Each call and each box that waits or stays needs about ten descriptors. */
static int
process_limits_raise_nofile(
    const struct options *options, unsigned int waiting, struct err *err)
{
	unsigned long sessions = options_argument(options, ARGUMENT_SESSION) ?
	    options->sessions : 0;
	unsigned long needed = SUPERVISOR_NOFILE_BASE + SUPERVISOR_NOFILE_CALL *
	    (options->max_concurrent + waiting + sessions);
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == -1)
		return err_sys(err, "read the limit of descriptors");
	if (limit.rlim_cur < SUPERVISOR_NOFILE_AIM) {
		spawn_remember_limit(RLIMIT_NOFILE, limit.rlim_cur);
		limit.rlim_cur = limit.rlim_max < SUPERVISOR_NOFILE_AIM
		    ? limit.rlim_max
		    : SUPERVISOR_NOFILE_AIM;
		if (setrlimit(RLIMIT_NOFILE, &limit) == -1)
			return err_sys(err, "raise the limit of descriptors");
	}
	if (limit.rlim_cur < needed)
		return process_limits_refuse_nofile(
		    options, waiting, limit.rlim_cur, needed, err);
	return 0;
}

/*
 * Data too large for a message is passed in a file in memory; the files of a
 * box are in memory, too.
 */
static int
process_limits_raise_fsize(const struct options *options, struct err *err)
{
	uint64_t needed = SERVER_LINE_MAX;
	struct rlimit limit;

	if (needed < options->max_code)
		needed = options->max_code;
	if (needed < options->max_output * OUTPUT_REPAIRED_FACTOR)
		needed = options->max_output * OUTPUT_REPAIRED_FACTOR;
	if (getrlimit(RLIMIT_FSIZE, &limit) == -1)
		return err_sys(err, "read the limit on the size of files");
	if (limit.rlim_max < needed)
		return err_set(err, "files may have only %llu bytes here "
		    "(RLIMIT_FSIZE), but Caisson hands over up to %llu in "
		    "files in memory: 'ulimit -f unlimited'",
		    (unsigned long long)limit.rlim_max,
		    (unsigned long long)needed);
	if (limit.rlim_cur == limit.rlim_max)
		return 0;
	spawn_remember_limit(RLIMIT_FSIZE, limit.rlim_cur);
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_FSIZE, &limit) == -1)
		return err_sys(err, "raise the limit on the size of files");
	return 0;
}

int
process_limits_raise(
    const struct options *options, unsigned int waiting, struct err *err)
{
	/* The first one needs /proc; the other would misreport its absence. */
	return process_limits_raise_nofile(options, waiting, err) == -1 ||
	    process_limits_raise_fsize(options, err) == -1 ? -1 : 0;
}
