/*
 * The entries of a directory that is open already. Used by files and porter;
 * opens nothing by a path.
 */
#ifndef COMMON_ENTRIES_H
#define COMMON_ENTRIES_H

/*
 * Calls tell with ctx and the name of each entry except "." and "..". Takes the
 * descriptor of the directory, from which nothing has been read yet; -1 is
 * accepted, with the errno of the call that returned it. Returns 0, or -1 with
 * errno if not all entries could be read.
 */
int entries_each(
    int *folder, void (*tell)(void *ctx, const char *name), void *ctx);

#endif
