/*
 * Tests of caisson-relay and caisson-porter as programs, whichever C library
 * they are linked with: they are loaded anywhere, have no stack that can be
 * executed, bind all symbols at once, and cannot write to relocated data.
 */
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/fd.h"
#include "common/ipc_socket.h"
#include "common/limits.h"
#include "unit.h"

static const char *programs[2]; /* the relay is the first */
static ElfW(Ehdr) *elf;

/* Maps the program into our memory. */
static void
read_program(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	ck_assert_msg(fd != -1 && fstat(fd, &st) == 0, "%s", path);
	elf = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	ck_assert_ptr_ne(elf, MAP_FAILED);
	close(fd);
}

static const ElfW(Phdr) *
header(uint32_t type)
{
	const ElfW(Phdr) *all =
	    (const void *)((const char *)elf + elf->e_phoff);
	size_t i;

	for (i = 0; i < elf->e_phnum; i++)
		if (all[i].p_type == type)
			return &all[i];
	return NULL;
}

/* The value of a dynamic entry, or 0. */
static uint64_t
dynamic(int64_t tag)
{
	const ElfW(Phdr) *place = header(PT_DYNAMIC);
	const ElfW(Dyn) *entry;

	ck_assert_ptr_nonnull(place);
	entry = (const void *)((const char *)elf + place->p_offset);
	for (; entry->d_tag != DT_NULL; entry++)
		if (entry->d_tag == tag)
			return entry->d_un.d_val;
	return 0;
}

START_TEST(is_linked_so)
{
	read_program(programs[_i]);
	ck_assert_int_eq(elf->e_type, ET_DYN);
	ck_assert_uint_eq(dynamic(DT_TEXTREL), 0);
	ck_assert_uint_ne(dynamic(DT_FLAGS_1) & DF_1_NOW, 0);
	ck_assert_uint_ne(dynamic(DT_FLAGS_1) & DF_1_PIE, 0);
	ck_assert_ptr_nonnull(header(PT_GNU_RELRO));
	ck_assert_ptr_nonnull(header(PT_GNU_STACK));
	ck_assert_uint_eq(header(PT_GNU_STACK)->p_flags & PF_X, 0);
}
END_TEST

/* Starts a relay; returns the channel to it. */
static int
start_relay(pid_t *pid)
{
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
	    pair), 0);
	ck_assert_int_eq(fcntl(pair[1], F_SETFL, O_NONBLOCK), 0);
	*pid = fork();
	if (*pid == 0) {
		dup2(pair[1], WORKER_CHANNEL_FD);
		execl(programs[0], "relay", NULL);
		_exit(99);
	}
	close(pair[1]);
	return pair[0];
}

/* Waits until it is locked down: it answers, for a box without a bootstrap. */
static void
await_relay(int channel)
{
	struct ipc_prepare prepare = { .output_max = 1024, .control_in = -1 };
	struct ipc_packet packet;
	enum ipc_type type;
	union ipc_any msg;
	struct err err;
	int in[2], out[2], errors[2];

	if (pipe(in) == -1 || pipe(out) == -1 || pipe(errors) == -1)
		ck_abort_msg("no pipes");
	prepare.control_out = in[1];
	prepare.out = out[0];
	prepare.errors = errors[0];
	ck_assert_int_eq(fcntl(in[1], F_SETFL, O_NONBLOCK), 0);
	ck_assert_int_eq(fcntl(out[0], F_SETFL, O_NONBLOCK), 0);
	ck_assert_int_eq(fcntl(errors[0], F_SETFL, O_NONBLOCK), 0);
	ck_assert_msg(ipc_encode(IPC_PREPARE, &prepare, &packet, &err) == 0,
	    "%s", err.text);
	ck_assert_int_eq(ipc_socket_send(channel, &packet, &err), 0);
	ipc_packet_close(&packet);
	ck_assert_int_eq(ipc_socket_receive(channel, &packet, &err), 1);
	ck_assert_int_eq(ipc_decode(&packet, &type, &msg, &err), 0);
	ck_assert_int_eq(type, IPC_READY);
}

/* Asserts that no map of the program from one address on can be written to. */
static void
assert_read_only(pid_t pid, const char *program)
{
	const ElfW(Phdr) *relro = header(PT_GNU_RELRO);
	uint64_t start, end, first = 0, from, to;
	char path[64], line[1024], rights[8], *real = realpath(program, NULL);
	FILE *maps;
	int found = 0;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	maps = fopen(path, "re");
	ck_assert_ptr_nonnull(maps);
	while (fgets(line, sizeof(line), maps) != NULL) {
		if (strstr(line, real) == NULL)
			continue;
		ck_assert_int_eq(
		    sscanf(line, "%lx-%lx %7s", &start, &end, rights), 3);
		ck_assert_msg(strstr(rights, "wx") == NULL, "%s", line);
		if (first == 0)
			first = start;
		from = first + relro->p_vaddr;
		to = (from + relro->p_memsz) & ~(uint64_t)0xfff;
		if (start >= to || end <= (from & ~(uint64_t)0xfff))
			continue;
		ck_assert_msg(rights[1] == '-', "%s", line);
		found++;
	}
	ck_assert_int_gt(found, 0);
	fclose(maps);
	free(real);
}

START_TEST(cannot_write_what_was_relocated)
{
	pid_t pid;
	int channel;

	if (geteuid() != 0) {
		unit_skip("the memory of a relay is shown to root only");
		return;
	}
	read_program(programs[0]);
	channel = start_relay(&pid);
	await_relay(channel);
	assert_read_only(pid, programs[0]);
	close(channel);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_loop_test(tc, is_linked_so, 0, 2);
	tcase_add_test(tc, cannot_write_what_was_relocated);
}

int
main(int argc, char **argv)
{
	if (argc != 3)
		return EXIT_FAILURE;
	programs[0] = argv[1];
	programs[1] = argv[2];
	return unit_run("hardened", add_tests);
}
