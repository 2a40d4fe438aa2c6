/*
 * A part of a manual page: the manual that models read in the box, which is
 * Markdown, as mdoc. Runs only while building.
 */
#ifndef MANUAL_PART_H
#define MANUAL_PART_H

/*
 * Prints the Markdown file path as mdoc on standard output: paragraphs, lists
 * of "- ", "**strong**" and "`code`". A line that begins with "---" is left
 * out. Returns 0, or -1 with a line on standard error if it cannot be read.
 */
int manual_part(const char *path);

#endif
