/*
 * Examples of commands: see help_examples.h. Runs in the supervisor.
 */
#include <stddef.h>
#include <string.h>

#include "colour.h"
#include "help_examples.h"

/* The short help has the first ones. */
static const struct {
	const char *word;
	const char *line;
	const char *doc;
} help_examples[] = {
	{ "selftest", "selftest", "whether it works on this machine" },
	{ "client", "client cursor", "what to write into Cursor's file" },
	{ "adopt", "adopt cursor --dry-run",
	    "what moving its servers would change" },
	{ "servers", "servers test", "whether each MCP server starts" },
	{ "config", "config check --memory 1g",
	    "whether it would start with that" },
	{ "exec", "exec report.py", "what a program does in a box" },
	{ "selftest", "selftest -v", "every check that it makes" },
	{ "adopt", "adopt cursor --undo", "take an adopt back" },
	{ "libraries", "libraries office", "what reads spreadsheets" },
	{ "config", "config show", "what is set, and where" },
	{ "memory", "memory show totals", "what code has saved as totals" },
	{ "saved-tools", "saved-tools show clean", "the source of a function" },
	{ "files", "files save report.xlsx", "copy a file to this folder" },
	{ "sessions", "sessions end sales", "free what it keeps" },
	{ "image", "image build python --engine podman",
	    "an image for containers of podman" },
	{ "completion", "completion bash > ~/.local/share/"
	    "bash-completion/completions/caisson", NULL },
	{ "help", "help timeout", "what an option means" },
};
#define HELP_EXAMPLES_BRIEF 5

void
help_examples_print(const char *word, int brief, FILE *out)
{
	const size_t all = sizeof(help_examples) / sizeof(help_examples[0]);
	int any = 0;
	size_t i;

	for (i = 0; i < (brief ? HELP_EXAMPLES_BRIEF : all); i++) {
		if (word != NULL && strcmp(help_examples[i].word, word) != 0)
			continue;
		if (!any) {
			fputc('\n', out);
			colour_print(out, COLOUR_HEAD, "Examples", 0);
			fputs(":\n", out);
		}
		any = 1;
		if (help_examples[i].doc == NULL)
			fprintf(out, "  caisson %s\n", help_examples[i].line);
		else
			fprintf(out, "  caisson %-24s  %s\n",
			    help_examples[i].line, help_examples[i].doc);
	}
}
