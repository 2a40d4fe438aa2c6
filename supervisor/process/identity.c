/*
 * The users of workers and boxes when Caisson runs as root. Each box has its
 * own user, from a block that this process locks, so that no other Caisson of
 * root uses it. In a container where only some users exist, two users serve for
 * all workers and all boxes. Runs in the supervisor; reads the maps of its own
 * user namespace and opens the lock file.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../common/base/fd.h"
#include "../../common/limits.h"
#include "../../common/base/log.h"
#include "process.h"

/* User and group have the same number; 0 means "keep the current one". */
static struct identity {
	unsigned int nobody;
	unsigned int box_first;
	unsigned int box_count;
	unsigned int template;
} identity = { 0, 0, 1, 0 };

static const struct identity identity_few = { RELAY_UID_FEW, BOX_UID_FEW, 1,
	BOX_UID_FEW };

/* The file with the lock on our block, open until exit; -1: none. */
static int identity_claims = -1;

static struct identity
identity_of_block(unsigned int block)
{
	unsigned int first = block * UID_BLOCK;

	return (struct identity){ first + RELAY_UID, first + BOX_UID_FIRST,
		BOX_UID_COUNT, first + TEMPLATE_UID };
}

/* Returns whether a map of user_namespaces(7) has all numbers first to last. */
static int
identity_mapped(const char *path, unsigned long first, unsigned long last)
{
	FILE *map = fopen(path, "re");
	unsigned long inside, outside, count;
	int found = 0;

	if (map == NULL)
		return 0;
	while (!found &&
	    fscanf(map, "%lu %lu %lu", &inside, &outside, &count) == 3)
		found = first >= inside && last - inside < count;
	fclose(map);
	return found;
}

static int
identity_exists(const struct identity *id)
{
	unsigned long last = id->template; /* the highest number in use */

	return identity_mapped("/proc/self/uid_map", id->nobody, last) &&
	    identity_mapped("/proc/self/gid_map", id->nobody, last);
}

/* Returns how many blocks of users exist here. */
static unsigned int
identity_count_blocks(void)
{
	struct identity first = identity_of_block(0);
	struct identity last = identity_of_block(UID_BLOCKS - 1);

	if (!identity_exists(&first))
		return 0;
	return identity_exists(&last) ? UID_BLOCKS : 1;
}

/* Opens the lock file. Returns -1 if other users could lock it. */
static int
identity_open_claims(const char *path)
{
	auto_fd int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW |
	    O_NONBLOCK, 0600);
	struct stat st;

	if (fd == -1 || fstat(fd, &st) == -1 || !S_ISREG(st.st_mode) ||
	    st.st_uid != geteuid() ||
	    (st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return -1;
	return fd_take(&fd);
}

/* Locks a block until exit. Returns whether it was free. */
static int
identity_claim(unsigned int block)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET,
		.l_start = (off_t)block, .l_len = 1 };

	return fcntl(identity_claims, F_OFD_SETLK, &lock) == 0;
}

/*
 * Chooses a block. The search starts at random, because two processes in two
 * containers do not see each other's locks; so they rarely choose the same
 * block.
 */
static unsigned int
identity_choose_block(unsigned int blocks, const char *claims)
{
	unsigned int first = 0, i, block;

	if (getrandom(&first, sizeof(first), GRND_NONBLOCK) == -1)
		first = (unsigned int)getpid();
	first %= blocks;
	identity_claims = identity_open_claims(claims);
	for (i = 0; i < blocks && identity_claims != -1; i++) {
		block = (first + i) % blocks;
		if (identity_claim(block))
			return block;
	}
	log_info("users of boxes cannot be reserved in %s: another Caisson "
	    "might use the same (1 in %d)", claims, UID_BLOCKS);
	return first;
}

int
identity_check(struct err *err)
{
	if (geteuid() != 0 || identity_count_blocks() > 0 ||
	    identity_exists(&identity_few))
		return 0;
	return err_set(err, "root has no other user IDs for boxes here "
	    "(/proc/self/uid_map): start Caisson as an ordinary user, or map "
	    "users up to %d", BOX_UID_FEW);
}

int
identity_init(const char *claims, struct err *err)
{
	unsigned int blocks;

	if (identity_check(err) == -1)
		return -1;
	if (geteuid() != 0)
		return 0;
	blocks = identity_count_blocks();
	if (blocks > 0) {
		identity = identity_of_block(
		    identity_choose_block(blocks, claims));
	} else {
		log_info("few user IDs are available: all boxes share user %d",
		    BOX_UID_FEW);
		identity = identity_few;
	}
	return 0;
}

unsigned int
identity_nobody(void)
{
	return identity.nobody;
}

unsigned int
identity_logins(void)
{
	return identity.nobody == 0 ? 0 : RELAY_UID_FEW;
}

unsigned int
identity_box(unsigned long number)
{
	return identity.box_first + (unsigned int)(number % identity.box_count);
}

unsigned int
identity_template(void)
{
	return identity.template;
}

void
identity_boxes(unsigned int *first, unsigned int *count)
{
	*first = identity.box_first;
	*count = identity.box_count;
}
