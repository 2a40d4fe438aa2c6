/*
 * Tests of supervisor/box/engine/fault: what an engine says becomes a
 * sentence that names the cause and the fix. The texts are those of podman
 * 4.3.1 with crun 1.8.1 and runc 1.1.5, and of the client of docker 28.2.2,
 * except those marked as made up.
 */
#include <signal.h>

#include "common/base/mem.h"
#include "supervisor/box/engine/engine.h"
#include "tests/unit/unit.h"

/* What the client of an engine ended with, killed by no signal. */
static struct container_end
end_of(int status, const char *errors)
{
	return (struct container_end){ .program = "/bin/e",
		.image = "an/image:1", .status = status, .errors = errors };
}

static const struct {
	int status;
	const char *errors;
	const char *sentence;
} faults[] = {
	{ 125, "Error: localhost/none:1: image not known\n",
	    "the image an/image:1 does not exist here: 'caisson image build "
	    "python --engine /bin/e' makes caisson-python, '/bin/e pull "
	    "an/image:1' fetches one" },
	{ 125, "docker: Error response from daemon: No such image: "
	    "an/image:1.\n", /* made up */
	    "the image an/image:1 does not exist here: 'caisson image build "
	    "python --engine /bin/e' makes caisson-python, '/bin/e pull "
	    "an/image:1' fetches one" },
	{ 125, "docker: Cannot connect to the Docker daemon at "
	    "unix:///var/run/docker.sock. Is the docker daemon running?\n\n"
	    "Run 'docker run --help' for more information\n",
	    "/bin/e cannot reach its daemon: start it, and check that you may "
	    "use it with '/bin/e ps'" },
	{ 125, "Cannot connect to Podman. Please verify your connection\n"
	    "Error: unable to connect to Podman socket\n",
	    "/bin/e cannot reach its service: check it with '/bin/e ps'" },
	{ 127, "caisson: cannot execute /bin/e: No such file or directory\n",
	    "the container engine /bin/e cannot be executed; install it, or "
	    "name another one" },
	{ 126, "Error: OCI runtime error: crun: cgroups in hybrid mode not "
	    "supported, drop all controllers from cgroupv2\n",
	    "crun does not run on a host that has both versions of cgroups: "
	    "install runc, and set 'runtime = \"runc\"' in the section engine "
	    "of /etc/own.conf" },
	{ 126, "Error: runc: runc create failed: unable to start container "
	    "process: error during container init: error setting rlimits for "
	    "ready process: error setting rlimit type 7: operation not "
	    "permitted: OCI permission denied\n",
	    "/bin/e may not raise the limits of a container here: set "
	    "'default_ulimits' in the section containers of /etc/own.conf" },
	{ 126, "Error: OCI runtime error: runc: runc create failed: unable to "
	    "start container process: unable to setup user: invalid argument\n",
	    "/bin/e cannot map the user of the code: add a range of user IDs "
	    "for your user to /etc/subuid and /etc/subgid, or change "
	    "CAISSON_CONTAINER_USER" },
	/* Of a user without a range of users. */
	{ 126, "Error: OCI runtime error: runc: runc create failed: unable to "
	    "start container process: error during container init: error "
	    "mounting \"tmpfs\" to rootfs at \"/tmp\": mount tmpfs:/tmp (via "
	    "/proc/self/fd/6), flags: 0xe, data: mode=1777,size=1048576,"
	    "uid=65534,gid=65534: invalid argument\n",
	    "/bin/e cannot map the user of the code: add a range of user IDs "
	    "for your user to /etc/subuid and /etc/subgid, or change "
	    "CAISSON_CONTAINER_USER" },
	{ 125, "Error: container-init binary not found on the host: stat "
	    "/none: no such file or directory\n",
	    "/bin/e has no init for containers: install the package "
	    "catatonit" },
	{ 127, "Error: runc: runc create failed: unable to start container "
	    "process: exec: \"nosuch\": executable file not found in $PATH: "
	    "OCI runtime attempted to invoke a command that was not found\n",
	    "the image an/image:1 has no interpreter for the code; use an "
	    "image with python3 in its PATH" },
	{ 125, "Error: unknown flag: --nosuchflag\nSee 'podman run --help'\n",
	    "this version of /bin/e is too old; install a newer one" },
	/* What is unknown is quoted. */
	{ 125, "time=\"…\" level=warning msg=\"a warning\"\n"
	    "Error: opening seccomp profile failed: open /none: no such file "
	    "or directory\n\n",
	    "/bin/e could not run a container: opening seccomp profile "
	    "failed: open /none: no such file or directory" },
	/* The image may have written it, and a terminal may show it. */
	{ 3, "\033[31m\xff\n",
	    "a container of the image an/image:1 exited with status 3 before "
	    "it was ready for code: \\x1b[31m\\xff" },
	{ 125, "docker: Error response from daemon: mkdir /x: no space left.\n"
	    "See 'docker run --help'.\n",
	    "/bin/e could not run a container: Error response from daemon: "
	    "mkdir /x: no space left." },
	{ 125, "Run 'docker run --help' for more information\n",
	    "/bin/e could not run a container" },
	{ 126, "Error: runc: exec: \"/etc/passwd\": permission denied",
	    "/bin/e could not start a container of the image an/image:1: "
	    "runc: exec: \"/etc/passwd\": permission denied" },
	{ 125, "", "/bin/e could not run a container" },
	{ 125, "\n \n", "/bin/e could not run a container" },
	{ 125, "Error: ", "/bin/e could not run a container: Error:" },
	{ 1, "python3: can't open file\n",
	    "a container of the image an/image:1 exited with status 1 before "
	    "it was ready for code: python3: can't open file" },
	{ 137, "",
	    "a container of the image an/image:1 exited with status 137 "
	    "before it was ready for code" },
};

UNIT_TESTS(a_fault_has_a_cause_and_a_fix, UNIT_COUNT(faults))
{
	const struct container_end end =
	    end_of(faults[_i].status, faults[_i].errors);
	auto_free char *sentence = container_fault(&end);

	ck_assert_str_eq(sentence, faults[_i].sentence);
}

UNIT_TEST(a_client_that_was_killed_is_named_with_the_signal)
{
	struct container_end end = end_of(-1, "image not known\n");
	auto_free char *unknown = container_fault(&end), *killed = NULL;

	end.killer = SIGKILL;
	killed = container_fault(&end);
	ck_assert_str_eq(
	    killed, "/bin/e, or its keeper, was killed by SIGKILL");
	ck_assert_str_eq(unknown,
	    "/bin/e, or its keeper, was killed by an unknown signal");
}

UNIT_TEST(an_image_that_is_not_described_has_a_cause)
{
	const struct container_end down = end_of(1,
	    "Cannot connect to the Docker daemon at unix:///x.\n");
	const struct container_end broken =
	    end_of(125, "\nError: it is broken\n");
	auto_free char *known = container_fault_asked(&down);
	const struct container_end mute = end_of(125, "");
	const struct container_end narrow = end_of(125,
	    "Error: cannot re-exec process\n");
	auto_free char *other = container_fault_asked(&broken);
	auto_free char *silent = container_fault_asked(&mute);
	auto_free char *unmapped = container_fault_asked(&narrow);

	ck_assert_str_eq(known, "/bin/e cannot reach its daemon: start it, and "
	    "check that you may use it with '/bin/e ps'");
	ck_assert_str_eq(other, "/bin/e could not describe the image "
	    "an/image:1: it is broken; check it, and the names of its images, "
	    "with '/bin/e images'");
	ck_assert_str_eq(silent, "/bin/e could not describe the image "
	    "an/image:1; check it, and the names of its images, with '/bin/e "
	    "images'");
	ck_assert_str_eq(unmapped, "/bin/e cannot make a user namespace: add a "
	    "range of user IDs for your user to /etc/subuid and /etc/subgid");
}

UNIT_TEST(a_command_that_is_missing_is_named)
{
	auto_free char *sentence = container_fault_command("an/image:1",
	    "a warning\n/missing: No such file or directory\n");

	ck_assert_str_eq(sentence, "the image an/image:1 cannot run its "
	    "ENTRYPOINT: /missing: No such file or directory; build it with "
	    "the path of a program that is in it, with its interpreter and "
	    "libraries");
}

UNIT_TEST(a_process_that_cannot_be_started_is_a_matter_of_limits)
{
	auto_free char *sentence = container_fault_command("an/image:1",
	    "process 1: cannot start a process: Resource temporarily "
	    "unavailable\n");

	ck_assert_str_eq(sentence, "a container of the image an/image:1 has "
	    "failed: process 1: cannot start a process: Resource temporarily "
	    "unavailable; check the limits CAISSON_PIDS and CAISSON_MEMORY");
}

/* An image that no registry has is made here. */
#define HERE "'/bin/e images' shows those that are here"

static const struct {
	const char *image;
	const char *digest;
	const char *fix; /* behind how to make one of Python */
} absent[] = {
	{ "caisson-python", NULL, HERE },
	{ "localhost/caisson-ruby:latest", NULL, HERE },
	{ "0123456789ab", NULL, HERE },
	{ "localhost:5000/caisson-python", NULL,
	    "'/bin/e pull localhost:5000/caisson-python' fetches one" },
	/* A language is one that the operator has enabled. */
	{ "localhost/caisson/ruby", "sha256:01", NULL },
};

UNIT_TESTS(an_image_without_a_registry_is_not_pulled, UNIT_COUNT(absent))
{
	const struct container_end end = {
		.program = "/bin/e", .image = absent[_i].image,
		.digest = absent[_i].digest, .status = 125,
		.errors = "image not known" };
	auto_free char *sentence = container_fault(&end);
	auto_free char *wanted = mem_printf("the image %s does not exist here: "
	    "%s%s", absent[_i].image, absent[_i].fix == NULL ?
	        "enable another one with 'caisson image add NAME'" :
	        "'caisson image build python --engine /bin/e' makes "
	        "caisson-python, ",
	    absent[_i].fix == NULL ? "" : absent[_i].fix);

	ck_assert_str_eq(sentence, wanted);
}

/* A name is not taken for one of the words that it stands for. */
UNIT_TEST(names_are_taken_as_they_are)
{
	const struct container_end end = {
		.program = "/IMAGE/PROGRAM", .image = "PROGRAM", .status = 125,
		.errors = "image not known" };
	auto_free char *sentence = container_fault(&end);

	ck_assert_str_eq(sentence, "the image PROGRAM does not exist here: "
	    "'caisson image build python --engine /IMAGE/PROGRAM' makes "
	    "caisson-python, '/IMAGE/PROGRAM pull PROGRAM' fetches one");
}

static void
set_up(void)
{
	setenv("CONTAINERS_CONF", "/etc/own.conf", 1);
}

UNIT_FIXTURE(set_up, NULL)
