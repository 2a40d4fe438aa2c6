/*
 * The attempts of the program trial: see main.c. Each file has some of them. An
 * attempt returns whether its promise is kept, or -1 with errno if it cannot
 * tell. Runs in the box, as the user of the code; links no file of common/.
 */
#ifndef BOX_TRIAL_H
#define BOX_TRIAL_H

/* rights.c: what the user may do. */
int rights_no_root(void);
int rights_no_capabilities(void);
int rights_no_new_privileges(void);
int rights_filtered(void);

/* reach.c: what it can reach. */
int reach_no_network(void);
int reach_no_process(void);

/* places.c: where it can write. */
int places_read_only(void);
int places_noexec(void);
int places_no_volumes(void);

/* amounts.c: how much it can use. */
int amounts_processes(void);
int amounts_memory(void);

/*
 * interpreter.c: runs a command, which gets this time, and whose output is
 * discarded. Returns 0 if it exits with 0, or a status of common/trial.h.
 */
int interpreter_try(char **command, unsigned int seconds);

/* proc_line.c: lines of files in /proc; pure. */

/*
 * Reads a line of /proc/self/status. Returns whether it is the field of this
 * name, and then sets its value, a number in this base.
 */
int proc_line_field(
    const char *line, const char *name, int base, unsigned long long *value);

/*
 * Returns whether a line of /proc/net/ipv6_route, with its newline, leads to
 * the machine itself.
 */
int proc_line_is_lonely(const char *line);

/*
 * Reads a line of /proc/self/mounts, which it changes. Returns the directory of
 * the mount if it may be a volume, or NULL: one that is read-only, one of those
 * that Caisson asks for, and one of the kernel's may not.
 */
const char *proc_line_volume(char *line);

#endif
