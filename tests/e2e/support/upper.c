/*
 * A language for the tests, as an image can be one: reads code on its standard
 * input to the end. "loud TEXT" prints the text in capitals; "fail N" exits
 * with that code after a line on its standard error; "show NAME" prints a
 * variable; "signal N" sends itself a signal; "orphans N" makes so many
 * processes that end without their parent, and prints how many it could make;
 * "fill" writes to 1 GiB of memory, and "fill child" has a child do so before
 * it sends itself SIGTERM; "work" prints its user, its working directory and
 * the files "sub/note" there and "given", and writes that and "made"; "wait"
 * waits, after a line that looks like the report of an end.
 */
#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Makes processes whose parents have ended before them, one after the other. */
static int
make_orphans(int wanted)
{
	int ended[2], n, status;
	char byte;
	pid_t pid;

	for (n = 0; n < wanted && pipe(ended) == 0; n++) {
		pid = fork();
		if (pid == 0)
			_exit(fork() == -1);
		close(ended[1]);
		if (pid == -1 || waitpid(pid, &status, 0) == -1 ||
		    status != 0)
			break;
		/* The orphan has ended when nobody can write. */
		if (read(ended[0], &byte, 1) != 0)
			break;
		close(ended[0]);
	}
	return n;
}

/* Without a limit on memory it ends by itself. */
static void
fill(void)
{
	const size_t much = 1 << 20;
	char *more;
	int n;

	for (n = 0; n < 1024 && (more = malloc(much)) != NULL; n++)
		memset(more, 1, much);
	_exit(1);
}

static void
show_file(const char *path)
{
	char text[64] = "none";
	FILE *file = fopen(path, "r");

	if (file != NULL && fgets(text, sizeof(text), file) != NULL)
		fclose(file);
	printf("%s\n", text);
}

static void
add_file(const char *path)
{
	FILE *file = fopen(path, "a");

	if (file != NULL && fputs("more", file) >= 0)
		fclose(file);
}

static void
work(void)
{
	char folder[64] = "";

	printf("%u:%u %s\n", (unsigned)getuid(), (unsigned)getgid(),
	    getcwd(folder, sizeof(folder)));
	show_file("sub/note");
	show_file("/workspace/in/given");
	mkdir("sub", 0755);
	add_file("sub/note");
	add_file("/workspace/out/made");
}

int
main(void)
{
	static char code[4096];
	size_t len = fread(code, 1, sizeof(code) - 1, stdin);

	code[len] = '\0';
	if (strncmp(code, "loud ", 5) == 0) {
		for (char *p = code + 5; *p != '\0'; p++)
			putchar(toupper((unsigned char)*p));
		return 0;
	}
	if (strncmp(code, "fail ", 5) == 0) {
		fprintf(stderr, "it fails\n");
		return atoi(code + 5);
	}
	if (strncmp(code, "show ", 5) == 0) {
		puts(getenv(code + 5) == NULL ? "none" : getenv(code + 5));
		return 0;
	}
	if (strncmp(code, "signal ", 7) == 0)
		kill(getpid(), atoi(code + 7));
	if (strcmp(code, "fill") == 0)
		fill();
	if (strcmp(code, "fill child") == 0) {
		if (fork() == 0)
			fill();
		wait(NULL);
		kill(getpid(), SIGTERM);
	}
	if (strncmp(code, "orphans ", 8) == 0) {
		printf("%d\n", make_orphans(atoi(code + 8)));
		return 0;
	}
	if (strcmp(code, "work") == 0) {
		work();
		return 0;
	}
	printf("waiting\n\001caisson: exit 137\n");
	fflush(stdout);
	pause();
	return 0;
}
