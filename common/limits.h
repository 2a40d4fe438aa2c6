/*
 * Every number of the program, with its reason. A user meets a limit as one
 * sentence that names it; options (supervisor/options) name the ones that can
 * be changed. Included by every process.
 */
#ifndef COMMON_LIMITS_H
#define COMMON_LIMITS_H

#define KIB 1024UL
#define MIB (1024UL * 1024UL)
#define GIB (1024UL * 1024UL * 1024UL)

/*
 * Log: a prefix is a role and a number; a line longer than a screen is cut, so
 * that it fits into PIPE_BUF when every byte of it is escaped to four.
 */
#define LOG_PREFIX_SIZE 32
#define LOG_TEXT_SIZE 1000

/* EX_SOFTWARE of sysexits: a worker that met its own bug. */
#define FATAL_EXIT_STATUS 70

/*
 * IPC. A packet stays well under the default SO_SNDBUF (about 208 KiB), so
 * that four of the largest fill a queue, which is the back-pressure. BLOBs up
 * to IPC_INLINE_MAX travel in the packet (a copy costs less than two memfds).
 */
#define IPC_PACKET_MAX (64 * KIB)
#define IPC_INLINE_MAX (16 * KIB)
#define IPC_FDS_MAX 8
/* A broker is told of all servers at once, and a reader tells of them. */
#define IPC_QUEUE_PACKETS_MAX 4096

/* What CAISSON_* options may be set to at most. */
#define CODE_MAX (16 * MIB)
/* The name of a language, which is that of its folder. */
#define LANGUAGE_NAME_MAX 31
#define OUTPUT_MAX (16 * MIB)
#define TIMEOUT_SECONDS_MAX 86400

/*
 * An invalid byte becomes U+FFFD, three bytes: kept output may grow threefold
 * between the pipe and the answer.
 */
#define OUTPUT_REPAIRED_FACTOR 3
#define OUTPUT_REPAIRED_MAX (OUTPUT_REPAIRED_FACTOR * OUTPUT_MAX)

/* A buffer begins with this; it doubles when full. */
#define BUFFER_SIZE_FIRST 256

/*
 * A buffer of lines shrinks when it is more than this many times as large as
 * what is in it needs, so growing (which doubles) never meets shrinking.
 */
#define LINES_SLACK 4

/* JSON nesting accepted from anybody; recursion-free, but readers are not. */
#define JSON_DEPTH_MAX 256

/* A worker finds its channel here; 0 is /dev/null, 1 and 2 are the log. */
#define WORKER_CHANNEL_FD 3

/* One read from a pipe: what a pipe holds by default. */
#define PIPE_CHUNK (64 * KIB)

/*
 * What the code prints lies in its pipe so long before the relay looks, as to
 * be woken takes both of them longer than to print a line. After a look that
 * found the pipe full so many follow without a rest: code that fills one waits
 * until somebody looks.
 */
#define OUTPUT_REST_MS 1
#define OUTPUT_AWAKE 16

/*
 * Calls of tools. An execution has at most so many requests under way, and at
 * most so many bytes of answers that its box has not read.
 */
#define REQUESTS_MAX 128

/* Bytes of the value of a last expression: a screen, as in a notebook. */
#define ECHO_MAX (2 * KIB)

/*
 * Pictures that code shows. Hosts cut or refuse answers of more than some
 * megabytes, and models look at a few pictures with less than 1,568 pixels on
 * a side; a figure has about 50 KiB. Bytes are those of the base64 text, of one
 * and of all of an execution. A side is what a PNG may have at most, a title
 * is a line.
 */
#define PICTURES_MAX 8
#define PICTURE_MAX MIB
#define PICTURES_BYTES_MAX (4 * MIB)
#define PICTURE_SIDE_MAX 0x7fffffff
#define PICTURE_TITLE_MAX 200

/*
 * How far code is, as it tells itself: numbers in thousandths, which a double
 * holds exactly, and a line of text. A client is told at most ten times a
 * second: people see no more.
 */
#define PROGRESS_MAX 1000000000000000ULL
#define PROGRESS_TEXT_MAX 200
#define PROGRESS_MS 100
/* So many times it may be told sooner that something is complete. */
#define PROGRESS_SPARE 3

/*
 * Servers that one execution may have started. A search asks each server for
 * its tools, and code may load servers without naming them: this keeps one
 * call from starting everything that is configured. Where a call names more,
 * none is started ahead.
 */
#define SESSION_STARTS_MAX 16
#define ANSWERS_UNREAD_MAX (64 * MIB)
/* Sentences about refused requests above that; what goes on is no code. */
#define REFUSALS_UNREAD_MAX (16 * MIB)
/* Arguments of requests in flight: the process that holds them keeps them. */
#define ARGUMENTS_UNDER_WAY_MAX (64 * MIB)
/*
 * Calls that one server has under way: one execution gets at most half of what
 * the others leave, so this is what lets one alone have all of its own there.
 * Besides, each execution has a place for one call. And calls that wait for a
 * place with it, of all executions: a few megabytes.
 */
#define SERVER_CALLS_MAX (2 * REQUESTS_MAX)
#define SERVER_WAITING_MAX 16384
/* A call as most are: it travels in its packet. */
#define CALL_SMALL IPC_INLINE_MAX
#define REQUEST_ID_MAX (1ULL << 53) /* what every reader of JSON can hold */
#define TOOL_NAME_MAX KIB /* with its quotes, as JSON */
#define TOOL_ARGUMENTS_MAX (16 * MIB)
#define RESULT_MAX (16 * MIB)
/* A frame of the box: the largest arguments, and what stands around them. */
#define FRAME_MAX (TOOL_ARGUMENTS_MAX + 8 * KIB)
/* A line of a server: the largest result, and its envelope. */
#define SERVER_LINE_MAX (RESULT_MAX + 64 * KIB)
/* Messages in one array of a server: more than are ever under way. */
#define SERVER_BATCH_MAX 10000
/*
 * The command mcp of a shell's box. Calls that the process beside the shell
 * passes on at once, each with a descriptor: the next wait in a FIFO, for their
 * own callers alone. Of a call, the name: two numbers; and what is kept of
 * names that have come, twice what is written whole into a FIFO.
 */
#define MCP_CALLS_MAX 64
#define MCP_NAME_MAX 32
#define MCP_NAMES_MAX (8 * KIB)
/* How deep the types of an argument are looked for in a schema. */
#define MCP_SCHEMA_DEPTH 8
/*
 * The arguments of a call of the command, compared with a schema: how deep, and
 * how many values, as much as Python looks at (see _arguments.py).
 */
#define MCP_CHECK_DEPTH 16
#define MCP_CHECKS_MAX 20000
/* In the sentence: bytes of a value, mistakes, names, choices, alternatives. */
#define MCP_SHOWN_MAX 60
#define MCP_WRONG_MAX 5
#define MCP_NAMED_MAX 20
#define MCP_CHOICES_MAX 10
#define MCP_WAYS_MAX 3
/* Characters of names that are compared for typing errors. */
#define MCP_CLOSE_MAX 100
/* Tools that a search shows; bytes of a description on their lines. */
#define MCP_FOUND_MAX 10
#define MCP_ABOUT_MAX 200
/* A sentence about a request, with a line of a server's stderr. */
#define REFUSED_REASON_MAX (8 * KIB)
/* How much of a server's own sentence, and how many names, it shows. */
#define REFUSED_FOREIGN_MAX (2 * KIB)
/*
 * What a server may write instead of MCP before it is ready, in bytes and in
 * lines: more than any banner or log has, so a program that is no server is
 * told from a slow one.
 */
#define SERVER_NOISE_MAX (32 * MIB)
#define SERVER_NOISE_LINES 100000
/* Of a line that a server wrote instead of MCP, such as a banner: to show. */
#define REFUSED_BANNER_MAX 200
#define REFUSED_NAMES_MAX 10
/* Which calls an execution still waited for: a few, and how many more. */
#define WAITING_SHOWN 5
#define WAITING_NAME_MAX 60
#define DONE_WAITING_MAX (WAITING_SHOWN * (WAITING_NAME_MAX + 30))
/* A sentence about a bad frame, or about a box that cannot be built. */
#define FAULT_REASON_MAX 200
#define FAILED_REASON_MAX 400

/*
 * Client lines: JSON may write each byte of code as six ("\u0000"), and what
 * stands around the code is small.
 */
#define CLIENT_LINE_FACTOR 6
#define CLIENT_LINE_EXTRA (64 * KIB)
/*
 * Answers that a client does not read: above the first no new call is
 * accepted, above the second the client counts as gone.
 */
#define CLIENT_UNSENT_BUSY (64 * MIB)
#define CLIENT_UNSENT_MAX (256 * MIB)
/* Messages in a JSON-RPC batch: their answers are kept until the last. */
#define CLIENT_BATCH_MAX 100

/*
 * Times in milliseconds. A box stands in 20; a machine that swaps, or in which
 * other boxes fork as fast as they can, needs seconds, sometimes twenty.
 * Draining starts when every process of the box is dead: what is left
 * is at most a full pipe for each stream.
 */
#define BOX_START_MS 60000
#define BOX_DRAIN_MS 10000
/*
 * A box that ended before it had the code is replaced after a moment: what its
 * end has to do with (a template that ends, too) is known by then.
 */
#define CALL_REPLACE_MS 20
/*
 * A call whose user has too many processes tries again after so long: they end
 * when others want, and an attempt costs a few milliseconds.
 */
#define CALL_RETRY_MS 200
/*
 * Code that has ended may have left processes: they have so long to end by
 * themselves, and to let go of its pipes, before they are killed.
 */
#define BOX_LEAVINGS_MS 10
/*
 * Mostly there are none, and the box has nothing to do any more: it is ended so
 * much later, as the kernel needs a millisecond to take it apart, and calls
 * that came at once are all answered by then.
 */
#define REAPER_LEFT_MS 20
/* Minimum interval between sweeps for unknown children. */
#define REAPER_SWEEP_MS 10
/* So many sweeps in a row must have found no orphan. */
#define REAPER_HUNTS 2
/* What is left when the program ends is killed; the kernel needs a moment. */
#define SHUTDOWN_REAP_MS 5000

/*
 * Boxes that wait for a call (supervisor/run/pool). More than POOL_MAX are
 * never needed at once; by itself the pool takes at most a thirty-second part
 * of the machine's memory, a box with its relay being about so large.
 */
#define POOL_MAX 64
#define POOL_MEMORY_SHARE 32
#define POOL_BOX_BYTES (12 * MIB)
/* Started at once: one for each of two processors, the least that many have. */
#define POOL_STARTS_MAX 2
/*
 * Missing boxes are started when no call has ended for so long, but are not
 * put off for longer than the second: a burst goes first.
 */
#define POOL_CALM_MS 5
#define POOL_CALM_MOST_MS 100
/* After a box that failed while it waited: doubled each time. */
#define POOL_PAUSE_FIRST_MS 500
#define POOL_PAUSE_MOST_MS 60000
/*
 * Boxes not needed throughout a period are given up but for one, and the
 * last one after so many periods without a call: ten minutes.
 */
#define POOL_PERIOD_MS 30000
#define POOL_REST_PERIODS 20
/* A box knows the host's linker cache and settings of so long ago. */
#define POOL_AGE_MS 600000

/*
 * Downstream servers. An execution waits so long for one to start; one that
 * has not answered "initialize" much later (the first start of a package may
 * fetch it) is ended. A server that must end is given time to, and then less.
 */
#define SERVER_WAIT_MS 20000
#define SERVER_START_MS 120000
/*
 * Who searches asks many servers, and can do without one: it is waited for so
 * long from the beginning of its start, and for one that failed to start last
 * time only a moment; for the pause after failures not at all.
 */
#define SERVER_LOOK_MS 10000
#define SERVER_LOOK_AGAIN_MS 1000
#define SERVER_PROCESS_EOF_MS 2000
#define SERVER_PROCESS_TERM_MS 2000
/* What its keeper is given to kill it, with thousands of processes perhaps. */
#define SERVER_PROCESS_KILL_MS 2000
/* A keeper that kills looks again after so long, or when a child has ended. */
#define KEEPER_PAUSE_MS 10
/*
 * Of one name: a server that runs, those that executions keep though they are
 * no longer configured, and those that are still ending.
 */
#define SERVER_PROCESSES_MAX 4
/* Pauses before a server that keeps failing is started again: doubled. */
#define SERVER_PAUSE_FIRST_MS 500
#define SERVER_PAUSE_MOST_MS 30000
/* A server that ran for so long, or has answered, has not failed to start. */
#define SERVER_STEADY_MS 10000
/* From the end of a server's output to the word of how it ended: usually 1. */
#define SERVER_END_WAIT_MS 1000
/* What has come of a server is read when it ends: the most a pipe can hold. */
#define SERVER_DRAIN_MAX MIB
/* The last bytes of a server's standard error: an error above a long stack. */
#define SERVER_ERRORS_KEPT (16 * KIB)
/* All pages of one list of tools together, and how many there may be. */
#define SERVER_TOOLS_BYTES_MAX (15 * MIB)
#define SERVER_TOOLS_PAGES_MAX 1000
#define SERVER_TOOLS_MAX 10000
/*
 * Shapes of results: of larger results none is derived, as that takes the
 * broker's time. Objects with more members, or with longer names, hold data.
 */
#define SHAPE_RESULT_MAX (256 * KIB)
#define SHAPE_TEXT_MAX 300 /* bytes */
#define SHAPE_NAME_MAX 64
#define SHAPE_KEYS_MAX 32
#define SHAPE_NAMES_MAX 12 /* of an object whose types are not told */
#define SHAPE_ITEMS_MAX 20 /* of a list */
/* The broker keeps them all, of one server at most so many: about 3 MiB. */
#define SHAPES_MAX 2000
#define SHAPES_SERVER_MAX 500
#define SHAPES_LOOKS_MAX 4 /* results of a tool that are looked at */
/* What a server is started as: SHA-256, as the values in it may be secrets. */
#define FINGERPRINT_SIZE 32
/*
 * Lists of tools that the broker remembers, of servers that need not run: all
 * of them together; the least recently used are forgotten above that.
 */
#define REMEMBERED_BYTES_MAX (32 * MIB)
/* How they are made, aliases included: one more whenever that changes. */
#define TOOL_LISTS_FORM 2
/* A list that has changed is fetched so much later, when no call asks. */
#define SERVER_RENEWAL_MS 1000
/* What a server calls itself and its version, as JSON; more is cut off. */
#define SERVER_INFO_MAX 400
/* What it says it is for, where the configuration says nothing: a sentence. */
#define SERVER_ABOUT_MAX 200
/*
 * A call that reports progress may take so many times as long as one that does
 * not: what is at work for ten times that long is at work for ever.
 */
#define TOOL_PROGRESS_FACTOR 10
/*
 * After so many requests in a row that timed out, in which a server answered
 * nothing and told of no progress, it is sent a ping. One that does not answer
 * that either, in a time in which any program answers, is hung: it is stopped.
 */
#define SERVER_SILENCES_MAX 3
#define SERVER_PING_MS 5000
/*
 * A list that keeps changing is fetched so often at most for those who ask: the
 * first change counts at once, a flood of them costs two fetches a second.
 */
#define LISTING_PAUSE_MS 500
/*
 * How long those wait who ask a server for its list that did not answer the
 * last time: a healthy one needs milliseconds, and every search waits for all.
 */
#define LISTING_SILENT_MS 1000
/*
 * Bytes of calls that were not sent to a server yet; above that calls are
 * refused. As with its places, one execution alone gets half of them, which is
 * all that it may have under way.
 */
#define SERVER_UNWRITTEN_MAX (2 * ARGUMENTS_UNDER_WAY_MAX)
/*
 * Bytes that all servers together have still to read: calls of four executions
 * that make as many as they may. Whatever hangs, the broker holds little more.
 */
#define BROKER_UNWRITTEN_MAX (4 * ARGUMENTS_UNDER_WAY_MAX)
/*
 * The rest of a call that is being sent, the largest perhaps, and as much of
 * notifications and answers to its own requests. It must read some of that.
 */
#define SERVER_UNREAD_MAX (2 * TOOL_ARGUMENTS_MAX)

/*
 * Descriptors of the broker: three for each process of a server, all but a
 * quarter of what it may have. That is for executions (of which there are at
 * most a sixteenth as many: SUPERVISOR_NOFILE_CALL) and for large answers.
 */
#define BROKER_NOFILE_LINK 3
#define BROKER_NOFILE_SHARE 4

/* Memory of the broker from this size on is its own mapping, and goes back. */
#define BROKER_MMAP_LEAST (128 * 1024) /* what malloc begins with */

/*
 * Identities when started as root. The range lies above those that
 * distributions and containers hand out (systemd's list of uids ends its
 * container range at 1879048191). Relays share one, each box has its own, so
 * no limit of one uid (descriptors in flight) can be used up by another box.
 */
#define RELAY_UID 1879048192
#define BOX_UID_FIRST (RELAY_UID + 1)
#define BOX_UID_COUNT 1000000
/* The template of boxes, which is none of them. */
#define TEMPLATE_UID (BOX_UID_FIRST + BOX_UID_COUNT)
/*
 * These are the first of the blocks; every running Caisson of root has its own.
 * The last block ends below 2^31, above which some programs see negative uids.
 */
#define UID_BLOCK (BOX_UID_COUNT + 2)
#define UID_BLOCKS 268
/* In a container with a map of 65536 users: the last two, for all. */
#define RELAY_UID_FEW 65533
#define BOX_UID_FEW 65534

/*
 * Descriptors of the supervisor: at most 16 at once for a call or a box that
 * waits for one (eight ends of pipes, most of which are gone before two
 * channels, a session, four pidfds, two directories, a cgroup and a file of
 * counts are all there), and a few of its own. With fewer it refuses to start,
 * as calls would fail for want of them.
 */
#define SUPERVISOR_NOFILE_CALL 16
#define SUPERVISOR_NOFILE_OWN 64
#define SUPERVISOR_NOFILE_AIM 65536

/* Modules that a template imports: a few names. */
#define PRELOAD_MAX 1000
/*
 * A template starts in a tenth of a second; large libraries take seconds. After
 * so many boxes or minutes the next one takes its place: what its boxes share
 * (addresses, the seed of hash()) is no longer the same then. One that fails is
 * tried again after a pause, which doubles.
 */
#define TEMPLATE_START_MS 60000
#define TEMPLATE_FORKS_MAX 10000
#define TEMPLATE_AGE_MS (60 * 60 * 1000UL)
#define TEMPLATE_PAUSE_FIRST_MS 1000UL
#define TEMPLATE_PAUSE_MOST_MS (5 * 60 * 1000UL)
/* The stack of what builds a box in the memory of a template. */
#define BOX_TEMPLATE_STACK (256 * KIB)
/*
 * Network namespaces that a template keeps for its boxes, each with two
 * descriptors: as many as boxes are usual at once. One more box has one of its
 * own, which takes half a millisecond to make.
 */
#define BOX_NETS_MAX 64
/* How often an ended template is asked whether its last box has ended. */
#define BOX_TEMPLATE_LOOK_MS 1000

/* CPU time beyond the deadline that a box may use: it is killed by then. */
#define BOX_CPU_EXTRA_SECONDS 5
/* More than a kernel can be built for: what says so is not believed. */
#define PROCESSORS_MAX 65536
/* Three years: the most that the catalogue takes. */
#define BOX_CPU_SECONDS_MAX 100000000
/* Files in each place to write: a thousand bytes of kernel memory for each. */
#define BOX_INODES 16384
/* The root of a box: synthetic files and the bootstrap, read-only. */
#define BOX_ROOT_BYTES (16 * MIB)
#define BOX_ROOT_INODES 4096
/* A file of /etc that is copied: the linker's cache of a desktop has 0.3 MiB.*/
#define BOX_COPY_MAX MIB
/* The bootstrap beside the binary: a few dozen small files are copied. */
#define BOX_DATA_FILES_MAX 256
#define BOX_DATA_BYTES_MAX (4 * MIB)
#define BOX_DATA_DEPTH_MAX 8
/* Parts of the host bound into a box; links that lead to an interpreter. */
#define BOX_TREES_MAX 48
#define BOX_LINKS_MAX 64
#define BOX_LINK_HOPS_MAX 40 /* MAXSYMLINKS of the kernel */
/* The user of a box as the code sees it: the first of ordinary users. */
#define BOX_USER 1000
/* More than programs open; and each can hold a full pipe of 64 KiB. */
#define BOX_NOFILE 256
/* Timers and queued signals, which are counted for the user outside too. */
#define BOX_SIGPENDING 1024
#define BOX_STACK (8 * MIB)
/* Of the memory, at most, where that is less. */
#define BOX_STACK_SHARE 64
/*
 * Threads that libraries start by themselves, where there are processors for
 * more. One of OpenBLAS takes up to 128 MiB and its stack, which counts as
 * memory before it is used, and waits for ever when it gets none: they have
 * half of the memory together, and the code the rest. Of those of OpenMP only
 * the stack counts, so eight have an eighth.
 */
#define BOX_BLAS_THREAD_BYTES (136 * MIB)
#define BOX_BLAS_SHARE 2
#define BOX_OMP_THREADS_MAX 8
/*
 * Address space above the memory limit: libraries, guard pages, and what
 * malloc reserves for two arenas. Private memory is bounded by RLIMIT_DATA;
 * this bounds maps of files.
 */
#define BOX_ADDRESS_EXTRA GIB
/*
 * Memory of a box as a whole, which its init watches
 * (worker/box/native/memory.c). It ends a little above the limit: a single
 * process has met RLIMIT_DATA by then, to which Python says MemoryError, even
 * when page tables, stacks and what libraries relocate are added.
 */
#define BOX_MEMORY_SLACK (16 * MIB)
/* Bytes that one processor fills in a second, and that memory lets all fill. */
#define BOX_MEMORY_SPEED (4 * GIB)
#define BOX_MEMORY_SPEED_MOST (32 * GIB)
/*
 * The next look is when the box could be above its limit. A look takes 50
 * microseconds, and a millisecond or more when it must be exact.
 */
#define BOX_MEMORY_WAIT_LEAST_MS 5
#define BOX_MEMORY_WAIT_MOST_MS 250
/*
 * How long the memory of code that is no more is kept: its box is ended before
 * (REAPER_LEFT_MS), and another program in its place fills little until then.
 */
#define BOX_HOLDER_REST_MS 40
/*
 * Parts of the memory of a template that are left out of the copy that the init
 * of a forked box is. They are what lies between the three objects it runs on,
 * and around them: some ten. What is over is copied.
 */
#define BOX_SPARE_MAX 64
/*
 * The allocator of Python: from 3.10 on a pool has 16 KiB, and four of those
 * before; the first block comes behind a head. Blocks grow by 16 bytes, to 512.
 */
#define BOX_POOL_BYTES (16 * KIB)
#define BOX_POOL_HEAD 48
#define BOX_BLOCK_STEP 16
#define BOX_BLOCK_MOST 512
/*
 * What the C library has free in a piece is smaller than what it maps apart
 * (128 KiB), and each size of small ones (up to 1032 bytes) is kept by itself;
 * more than so much of it, and of Python's, is left.
 */
#define BOX_HOLE_LARGEST (64 * KIB)
#define BOX_HOLE_SMALL (2 * KIB)
#define BOX_HOLES_MOST (8 * MIB)
/*
 * A look that was kept from its processor for longer is made with all processes
 * stopped: in so much time two processors fill 24 MiB.
 */
#define BOX_MEMORY_LATE_MS 3
/*
 * With more threads, all of them may have a turn before the watchdog has its
 * own. So much can one fill in that: 4 ms, a tick of most kernels.
 */
#define BOX_MEMORY_FEW 8
#define BOX_MEMORY_TURN (16 * MIB)
/*
 * Attempts to stop all processes of a box that continue each other. A program
 * that sends SIGCONT at intervals meets fewer of them.
 */
#define BOX_MEMORY_HOLDS 10
/* And the pause between two of them. */
#define BOX_MEMORY_HOLD_MS 1
/* The least that Linux gives a process at a time. */
#define BOX_MEMORY_SLICE_NS 100000
/* As many processes has a box whose code has started none. */
#define BOX_MEMORY_SEEN 2
/*
 * Processes that are stopped before all are listed, and those of which each
 * thread was stopped: many more than a box has with the usual limit. With more
 * the rest is found by listing, and goes on even if the code had stopped it; a
 * box with more of the second kind cannot be stopped, and ends.
 */
#define BOX_MEMORY_KNOWN 1024
#define BOX_MEMORY_FORCED 256
/* Processes whose CPU time is kept. */
#define BOX_MEMORY_CLOCKS 256
/*
 * The files of a process that are read whole, in bytes. A status is the
 * longest: it names the groups of the user, of which there may be many, before
 * what counts here. And what is read of a directory at a time.
 */
#define BOX_MEMORY_TEXT_SIZE 16384
#define BOX_MEMORY_ENTRIES_SIZE 4096
/* Sockets that may hold what they like: what programs have, and more. */
#define BOX_SOCKETS_FREE 32
/* Kernel memory for a file in memory, without its bytes. */
#define BOX_INODE_BYTES KIB
/*
 * Parts of memory that are free: what large libraries make, and more. The n-th
 * process that is counted may have an n-th of it, at least BOX_MAPS_LEAST,
 * which is what an interpreter makes. Of one more the kernel keeps a
 * vm_area_struct and an anon_vma, and an anon_vma_chain for each fork that it
 * has seen. They are counted seldom, as the kernel prints a line for each.
 */
#define BOX_MAPS_FREE 4096UL
#define BOX_MAPS_LEAST 256UL
#define BOX_MAP_BYTES 320UL
#define BOX_MAP_LINK_BYTES 64UL
#define BOX_MAPS_LOOK_MS 500
/*
 * How init ends: too much memory; it cannot see how much; or the code keeps
 * continuing what it stops.
 */
#define BOX_EXIT_MEMORY 64
#define BOX_EXIT_BLIND 65
#define BOX_EXIT_LOOSE 66
/* A file may be as large as its file system, and a little: ENOSPC, not EFBIG.*/
#define BOX_FILE_EXTRA MIB

/*
 * A box in a cgroup of its own: the processes that are not the code's (init,
 * and the launcher while it builds), and the kernel's usual period of cpu.max.
 * Its folder goes when its processes have: mostly at once, else soon.
 */
#define GROUP_OWN_PROCESSES 2
#define GROUP_PERIOD_US 100000
#define GROUP_PAUSE_FIRST_MS 5
#define GROUP_PAUSE_MOST_MS 1000
/* "box", two numbers of the supervisor, and that of the execution. */
#define GROUP_NAME_SIZE 80
/* What is read of a file of a cgroup: a few lines, or a few process ids. */
#define GROUP_TEXT_SIZE 4096

/*
 * The weaker level: the name of a private folder ("/tmp/caisson-box-" and 16
 * digits), and how many entries of a forgotten one are removed before another
 * box is built.
 */
#define BOX_FOLDER_SIZE 64
#define BOX_FOLDER_SWEPT_MAX 20000

/*
 * Configuration files of servers (worker/reader). The sizes of a row add up
 * to less than a packet; each is far above what people write. A row for each
 * entry must fit into the queue of a channel.
 */
#define CONFIG_FILE_MAX (64 * MIB) /* clients keep their history in them */
#define CONFIG_PROJECT_FILE_MAX MIB /* untrusted: more is not waited for */
#define CONFIG_TREE_MAX MIB /* of TOML and YAML, which become trees first */
#define CONFIG_NODES_MAX 20000 /* of such a tree: names are compared in turn */
#define CONFIG_DEPTH_MAX 64 /* of such a tree */
#define CONFIG_FILES_MAX 256 /* of one folder */
#define CONFIG_ENTRIES_MAX 500 /* of one file */
#define CONFIG_SERVERS_MAX 1000 /* of all files */
#define CONFIG_NAME_MAX 128
#define CONFIG_PATH_MAX 4095 /* PATH_MAX without its NUL */
#define CONFIG_ARGS_MAX (20 * KIB)
#define CONFIG_ENV_MAX (24 * KIB)
#define CONFIG_DESCRIPTION_MAX (4 * KIB)
#define CONFIG_TOOLS_MAX (3 * KIB) /* what a server's tools are narrowed to */
#define CONFIG_REASON_MAX 400
#define CONFIG_CUTS_MAX 6 /* of an entry of TOML: all fit into one queue */
#define CONFIG_GAP_MAX 256 /* blanks around an entry: no file is indented so */
/* Files whose faults one answer names: a sentence has 1,000 bytes. */
#define SERVER_FAULTS_SHOWN 2
/* A name as Python can write it: one byte for each, a mark, and a number. */
#define ALIAS_MAX (CONFIG_NAME_MAX + 16)
/* Each name and a NUL; each row as JSON, where a byte may become six. */
#define SERVERS_NAMES_MAX (CONFIG_SERVERS_MAX * (CONFIG_NAME_MAX + 1))
#define SERVERS_JSON_MAX (32 * MIB)
#define ENDED_HOW_MAX 400
/* Why a server is not trusted any more: the path of its file, and the cause. */
#define REVOKED_MAX (CONFIG_PATH_MAX + 2 * CONFIG_REASON_MAX)
#define TRIED_TOOLS_MAX (64 * KIB)
/* One argument or variable of a program: MAX_ARG_STRLEN of the kernel. */
#define CONFIG_EXPANDED_MAX (128 * KIB - 1)
/*
 * A dead network drive answers never. 64 MiB take a second of a processor,
 * which may have much else to do.
 */
#define CONFIG_READ_MS 5000
#define CONFIG_READ_MIB_MS 100
/* A folder that so many may be in is asked for first: that costs as one. */
#define CONFIG_GATE_MIN 3
/* Of opening a path with "..", which fails while others rename: 1 in 14. */
#define CONFIG_OPEN_TRIES 100
/*
 * A file that is missing, empty or half written keeps what it said last for so
 * long: programs that write theirs in place take milliseconds, on a busy
 * machine or a network drive more than a second.
 */
#define CONFIG_KEPT_MS 2000
/* Two ticks of the slowest clock that files get their times by. */
#define CONFIG_TICK_MS 20

/*
 * What is kept between calls (worker/store). A process that shares the state
 * directory holds its lock for milliseconds; one that was stopped does not
 * make the store wait for ever.
 */
#define STORE_BUSY_MS 5000
/*
 * A database that is larger is not looked through when it is opened, which
 * takes 2 ms for each MiB. By default it is smaller.
 */
#define DATABASE_CHECKED_MAX (256 * MIB)
/*
 * The log of changes beside the database is written back and shortened at this
 * size, a hundred small changes, so that a small disk is not full of it.
 */
#define DATABASE_LOG_MAX (512 * KIB)
/*
 * Room on the disk that is held ready for removing: the index of the log
 * (32 KiB) and a dozen pages of the database twice over. Large values are
 * overwritten in pieces before they are removed, so that none needs more.
 */
#define DATABASE_RESERVE (256 * KIB)
#define DATABASE_PIECE (64 * KIB)
/*
 * How often an execution gets the store: once, and again when it has died. Code
 * that makes it die each time is not served for ever.
 */
#define STORE_FETCHES_MAX 10
/*
 * A key is a name: what is longer is data. A value is a result to go on with;
 * more belongs into a file of a server. Listings come in pages, which a key
 * and its metadata may exceed.
 */
#define MEMORY_KEY_MAX (4 * KIB)
#define MEMORY_VALUE_MAX (4 * MIB)
#define MEMORY_METADATA_MAX (16 * KIB)
/*
 * Metadata are listed together, so one of them must not break the list: Python
 * prints no integer of more digits (sys.int_info.default_max_str_digits), and
 * an answer may be nested JSON_DEPTH_MAX deep, in which three levels stand
 * around metadata. The box itself writes values no deeper than this.
 */
#define MEMORY_DIGITS_MAX 4300
#define MEMORY_METADATA_DEPTH_MAX 250
#define MEMORIES_MAX 10000
#define SAVED_TOOL_NAME_MAX 128
#define SAVED_TOOL_SOURCE_MAX (256 * KIB)
#define SAVED_TOOL_ABOUT_MAX 400
#define SAVED_TOOLS_MAX 1000
/*
 * Code can save tools, and only the user can remove them: one execution adds a
 * twentieth of them at most, which is more than a program has functions.
 */
#define SAVED_TOOLS_NEW_MAX 50
#define STORE_PAGE_MAX (256 * KIB)
/* A name of a token: a word. */
#define STORE_SCOPE_MAX 128
#define OWNER_NAME_MAX 128
/*
 * Lists of tools that are kept: each (hundreds of tools have half a megabyte),
 * how many, and all of them. What was not used for so long goes first.
 */
#define TOOL_LIST_MAX (4 * MIB)
#define TOOL_LISTS_MAX 500
#define TOOL_LISTS_BYTES_MAX (64 * MIB)
#define TOOL_LISTS_DAYS 90
/* So long a list that is looked up is waited for; its server can be asked. */
#define TOOL_LISTS_WAIT_MS 1000
/* After a store that was of no use the next one is tried so much later. */
#define TOOL_LISTS_PAUSE_MS 30000
/* Bytes of all memories and saved tools: what an option may allow. */
#define STATE_MAX_MIN MIB
#define STATE_MAX_MAX (16 * GIB)

/*
 * Files that executions leave and are given (worker/files). A name is one of a
 * file system. Of one owner there are so many with all versions, as they are
 * listed in one answer; an execution leaves a few, and what it left behind the
 * hundredth is counted and not looked at.
 */
#define FILE_NAME_MAX 255
#define FILE_TYPE_MAX 127 /* a media type: RFC 6838 allows 127 for each half */
#define FILES_COUNT_MAX 1000
#define FILES_LEFT_MAX 100
#define FILES_GIVEN_MAX 32
/* Numbers of removed versions of an owner: names of one hash share one. */
#define FILES_VERSIONS 32768
/* Of an execution, so many wait with their descriptors to be copied. */
#define FILES_WAITING_MAX 8
#define FILES_NAMES_MAX (FILES_GIVEN_MAX * (FILE_NAME_MAX + 1))
/* Files of which an answer says why they are not kept; others are counted. */
#define FILES_NAMED_MAX 10
/* One that comes by message: from a client, or from a command. */
#define FILE_ADD_MAX (256 * MIB)
/* One that a client reads: base64 of more is no answer that clients take. */
#define FILE_READ_MAX (32 * MIB)
/*
 * Reads and lists of files of one client: under way, as each holds all bytes of
 * a file, and those that wait for that.
 */
#define RESOURCES_AT_ONCE 2
#define RESOURCES_WAITING_MAX 1000
/* Before the bytes of a file that is kept: its name, its owner, and so on. */
#define FILE_HEAD_SIZE KIB
/* Files are copied in pieces: nothing else waits for more than one. */
#define FILE_PIECE MIB
/* After so many the disk is waited for: a slow one writes them in a second. */
#define FILE_SYNC (32 * MIB)
/* Bytes of all files: what an option may allow; and how long they are kept. */
#define FILES_MAX_MIN MIB
#define FILES_MAX_MAX (1024 * GIB)
#define FILES_DAYS_MAX 36500
/*
 * Of the collection: a full box is copied in a second or two; on a slow disk a
 * quarter of a gigabyte needs half a minute.
 */
#define FILES_COLLECT_MS 60000
/* How long another process of the same user may hold the directory. */
#define FILES_BUSY_MS 5000
/* How often it is looked whether that is over, or a full channel has room. */
#define FILES_LOOK_MS 5

/*
 * Options (supervisor/options/options.def). An interpreter does not start in
 * less memory or with fewer processes; the other bounds are where a number can
 * only be a slip of the pen.
 */
#define MEMORY_MIN (16 * MIB)
#define MEMORY_MAX (1024 * GIB)
#define PIDS_MIN 8
#define PIDS_MAX 32768
/* In hundredths of a processor: cpu.max grants no less, and few have more. */
#define CPUS_MAX (1024 * 100)
#define OPTION_SHARE_DIGITS 9 /* of the whole part: it fits into anything */
#define OUTPUT_MIN KIB
#define CODE_MIN KIB
#define CONCURRENT_LEAST 4 /* by default, on however few processors */
#define CONCURRENT_MAX 1024
#define QUEUE_MAX 10000
#define OPTION_PATH_MAX 4095 /* PATH_MAX without its NUL */
/* A configuration file is a few lines; what is larger is another file. */
#define OPTION_FILE_MAX MIB
/* How much of a bad value, or of a long path, an error shows. */
#define OPTION_VALUE_SHOWN 60
#define OPTION_NAME_SHOWN 160
/* Words that "did you mean" compares: no name of ours is longer. */
#define SUGGEST_WORD_MAX 64
/* Spaces a level in answers: TOON's default, and usual for JSON. */
#define ANSWER_INDENT 2
/* The shortest fence of a block in Markdown. */
#define ANSWER_FENCE_MIN 3
/* Flags of one command line that belong to its command: names, variables. */
#define COMMAND_GIVEN_MAX 256
/* The text of --help. */
#define HELP_COLUMNS 79
#define HELP_INDENT 6
/* Where the sentences on commands begin. */
#define HELP_COMMAND_INDENT 28

#endif
