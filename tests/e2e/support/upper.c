/*
 * A language for the tests, as an image can be one: reads code on its standard
 * input to the end. "loud TEXT" prints the text in capitals; "fail N" exits
 * with that code after a line on its standard error; "show NAME" prints a
 * variable; "wait" waits.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
	printf("waiting\n");
	fflush(stdout);
	pause();
	return 0;
}
