/*
 * Every limit of the program, with its reason. The user meets a limit as one
 * sentence that names it. Options (supervisor/options) name the limits that can
 * be changed. Included by every process.
 */
#ifndef COMMON_LIMITS_H
#define COMMON_LIMITS_H

#define KIB 1024UL
#define MIB (1024UL * 1024UL)
#define GIB (1024UL * 1024UL * 1024UL)

/* A limit that is one number, in a text. */
#define LIMIT_TEXT(limit) LIMIT_WORD(limit)
#define LIMIT_WORD(word) #word

/* Bytes of a log line: with every byte escaped to four it fits PIPE_BUF. */
#define LOG_PREFIX_SIZE 32
#define LOG_TEXT_SIZE 1000
#define LOG_TERMS_MAX 11 /* of 4 levels and 3 forms */

/* EX_SOFTWARE of sysexits: a worker found a bug in itself. */
#define FATAL_EXIT_STATUS 70

/*
 * IPC. A packet stays well below the default SO_SNDBUF (about 208 KiB): four of
 * the largest fill a queue, which gives back-pressure. BLOBs up to
 * IPC_INLINE_MAX travel in the packet, because copying costs less than two
 * memfds.
 */
#define IPC_PACKET_MAX (64 * KIB)
#define IPC_INLINE_MAX (16 * KIB)
#define IPC_FDS_MAX 8
#define IPC_SEAL_TRIES 4
/* Rows of the catalogue hold the names of messages and fields, with a NUL. */
#define IPC_NAME_SIZE 20
/* The most fields of a message for which the manual has room. */
#define IPC_FIELDS_MAX 63
/* The supervisor sends all servers to a broker at once, as a reader does. */
#define IPC_QUEUE_PACKETS_MAX 4096

/* A relay has at most 6 descriptors, with two events for most, and 5 timers. */
#define EVENTS_MAX 32

/* The largest values of CAISSON_* options. */
#define CODE_MAX (16 * MIB)
/* Of a call, for the code: a box keeps both in its memory. */
#define STDIN_MAX MIB
#define ENVIRONMENT_VARIABLES_MAX 64
#define ENVIRONMENT_NAME_MAX 64
#define ENVIRONMENT_MAX (32 * 1024) /* bytes of JSON */
#define ARGUMENTS_MAX ENVIRONMENT_MAX
/* A request that code answers: bytes of JSON. */
#define REQUEST_MAX MIB
/* All as members of a JSON object; of standard input the base64. */
#define INPUT_MAX (2 * STDIN_MAX + REQUEST_MAX)
/* The answer of the code: its status, its headers, and its body. */
#define RESPONSE_STATUS_LEAST 200
#define RESPONSE_STATUS_MAX 599
#define RESPONSE_HEAD_MAX (16 * KIB)
/* The name of a language equals that of its folder. */
#define LANGUAGE_NAME_MAX 31
#define OUTPUT_MAX (16 * MIB)
#define TIMEOUT_SECONDS_MAX 86400
/*
 * Executions are listed for days, and their output is kept for one, for later
 * code of their owner: at most so many bytes of each stream (a relay holds what
 * was cut until the code has ended), and of all executions together. Each
 * counts as at least EXECUTION_ROW_MIN, which bounds their number: 8192. Code
 * reads its output in parts.
 */
#define OUTPUT_KEPT_MAX (32 * MIB)
#define EXECUTIONS_BYTES_MAX (128 * MIB)
#define EXECUTION_ROW_MIN (16 * KIB)
#define EXECUTIONS_DAYS_MAX 365
/*
 * They are written together, which takes hardly more than one: so long after
 * the first one of them, or when they have so many bytes.
 */
#define EXECUTIONS_WAIT_MS 200
#define EXECUTIONS_WAITING_MAX MIB
/* Those that wait or run, as a command is told. */
#define EXECUTIONS_TOLD_MAX MIB
/* How one ended, and what it called: a sentence and DONE_CALLS_MAX, as JSON. */
#define EXECUTION_FACTS_MAX (256 * KIB)
/* Texts outside of C do not have this number. */
#define OUTPUT_KEPT_HOURS 24
#define OUTPUT_KEPT_SECONDS (OUTPUT_KEPT_HOURS * 3600)
#define OUTPUT_PART_MAX MIB
/* Bytes of it in a resource: escaped, several fit CLIENT_UNSENT_MAX. */
#define OUTPUT_READ_MAX (16 * MIB)
/* The id of an execution: hexadecimal digits of random bytes. */
#define EXECUTION_ID_BYTES 8
#define EXECUTION_ID_MAX (2 * EXECUTION_ID_BYTES)

/* An invalid byte becomes U+FFFD, three bytes. */
#define OUTPUT_REPAIRED_FACTOR 3
#define OUTPUT_REPAIRED_MAX (OUTPUT_REPAIRED_FACTOR * OUTPUT_MAX)

/* The initial size of a buffer; it doubles when full. */
#define BUFFER_SIZE_FIRST 256

/* A buffer of lines this many times too large shrinks; growing doubles it. */
#define LINES_SLACK 4

/* JSON nesting accepted from any peer: readers of the result may recurse. */
#define JSON_DEPTH_MAX 256

/* The descriptor of a worker's channel; 0 is /dev/null, 1 and 2 are the log. */
#define WORKER_CHANNEL_FD 3

/* All of the frame of an answer to the box but its payload has fewer bytes. */
#define ANSWER_FRAME_MAX 128

/* One read from a pipe: the default capacity of a pipe. */
#define PIPE_CHUNK (64 * KIB)

/*
 * The relay waits this long before it reads output, because waking up costs
 * both processes more than printing a line. After a read that found the pipe
 * full, it reads this many times without a pause: the code waits while its pipe
 * is full.
 */
#define OUTPUT_REST_MS 1
#define OUTPUT_AWAKE 16

/*
 * A box with three descriptors sends the output of its code as base64 in
 * frames: each has at most one read from a pipe, with its padding. An exit code
 * is a byte, and so is the number of a signal. When such a box does not start,
 * this many bytes of its errors explain it: the last lines of an engine, and
 * less than the packet of DONE holds when all of them are invalid UTF-8.
 */
#define OUTPUT_FRAME_MAX ((PIPE_CHUNK + 2) / 3 * 4)
#define END_STATUS_MAX 255
#define START_ERRORS_MAX (2 * KIB)
#define START_ERRORS_REPAIRED_MAX (OUTPUT_REPAIRED_FACTOR * START_ERRORS_MAX)

/* Threads that code of a session leaves: the most that a box may have. */
#define PROGRAM_THREADS_MAX 1000000

/* Tool calls in flight of one execution. */
#define REQUESTS_MAX 128

/* Bytes of the value of a last expression: one screen, as in a notebook. */
#define ECHO_MAX (2 * KIB)

/*
 * Pictures that code shows. Hosts cut or refuse answers of more than a few
 * megabytes, and models view a few pictures with sides below 1,568 pixels; a
 * figure has about 50 KiB. The sizes are those of the base64 text, of one
 * picture and of all pictures of an execution. A side is in pixels: hosts
 * refuse whole conversations with a longer one. A title is one line.
 */
#define PICTURES_MAX 8
#define PICTURE_MAX MIB
#define PICTURES_BYTES_MAX (4 * MIB)
#define PICTURE_SIDE_MAX 2000
#define PICTURE_TITLE_MAX 200

/*
 * Progress reported by code: numbers in thousandths, which a double holds
 * exactly, and a line of text. The client receives it at most ten times a
 * second, as people cannot read it faster.
 */
#define PROGRESS_MAX 1000000000000000ULL
#define PROGRESS_TEXT_MAX 200
#define PROGRESS_MS 100
/* How many completions may be reported before that interval is over. */
#define PROGRESS_SPARE 3
/*
 * The output of running code, shown to a client that watches: bytes of its
 * start and of its end, and the interval in milliseconds. People read it, and
 * its end interests most.
 */
#define PREVIEW_HEAD 1024
#define PREVIEW_TAIL (3 * KIB)
#define PREVIEW_MS 1000
/* Of both streams, repaired, with a line for the bytes between. */
#define PREVIEW_MAX                                                            \
	(2 * UTF8_REPAIR_FACTOR * (PREVIEW_HEAD + PREVIEW_TAIL) + 200)

/*
 * Maximum number of servers that one execution may have started. A search
 * requests the tools of every server, and code may load servers without naming
 * them; without this limit one call could start all configured servers. If a
 * call names more, none is started in advance.
 */
#define GRANT_STARTS_MAX 16
#define ANSWERS_UNREAD_MAX (64 * MIB)
/* Bytes of unread refusals: a program that never reads is ended. */
#define REFUSALS_UNREAD_MAX (16 * MIB)
/* Bytes of arguments of all requests in flight of one execution. */
#define ARGUMENTS_UNDER_WAY_MAX (64 * MIB)
/*
 * Maximum calls of one server in flight. One execution gets at most half of the
 * free places, so this lets a single execution use all its own requests. Each
 * execution also has one reserved place. The second number limits the calls of
 * all executions that wait for a place: a few megabytes.
 */
#define SERVER_CALLS_MAX (2 * REQUESTS_MAX)
#define SERVER_WAITING_MAX 16384
/* Size of a typical call: it travels in its packet. */
#define CALL_SMALL IPC_INLINE_MAX
#define REQUEST_ID_MAX (1ULL << 53) /* an integer that every JSON parser
				     * represents */
#define TOOL_NAME_MAX KIB /* with its quotes, as JSON */
/* The same of resources, whose URIs may have queries, and of prompts. */
#define RESOURCE_NAME_MAX (16 * KIB)
#define METHOD_MAX 32 /* what a server is asked, by its name */
#define TOOL_ARGUMENTS_MAX (16 * MIB)
#define RESULT_MAX (16 * MIB)
/* A frame of the box: the largest arguments and their envelope. */
#define FRAME_MAX (TOOL_ARGUMENTS_MAX + 8 * KIB)
/* A line of a server: the largest result and its envelope. */
#define SERVER_LINE_MAX (RESULT_MAX + 64 * KIB)
/* Messages in one JSON array of a server: more than are ever in flight. */
#define SERVER_BATCH_MAX 10000
/*
 * Arguments that the broker compares with a schema: their depth and number, and
 * the bytes of both that are scanned for one call. That bounds its time in the
 * broker, during which other calls wait: some 30 ms of a processor of 3 GHz for
 * the worst that was found. More is passed on, and the server judges.
 */
#define ARGUMENTS_DEPTH_MAX 16
#define ARGUMENTS_VALUES_MAX 20000
#define ARGUMENTS_WORK_MAX (16 * MIB)
/* Schemas that one value must fit, steps of a reference, digits of a number. */
#define ARGUMENTS_PARTS_MAX 64
#define ARGUMENTS_STEPS_MAX 32
#define ARGUMENTS_DIGITS_MAX 400
/*
 * In the sentence: bytes of a value or a name, errors, names, bytes of names
 * with their types, choices, alternatives and close names; bytes of a name that
 * is compared.
 */
#define ARGUMENTS_SHOWN_MAX 60
#define ARGUMENTS_WRONG_MAX 5
#define ARGUMENTS_NAMED_MAX 20
#define ARGUMENTS_TAKES_MAX 500
#define ARGUMENTS_CHOICES_MAX 10
#define ARGUMENTS_WAYS_MAX 3
#define ARGUMENTS_SIMILAR_MAX 3
/*
 * TypeScript of schemas: bytes of a module, and of a tool in it; bytes of
 * schemas that are scanned for it (some 60 ms); nested schemas, types with a
 * name of one tool, alternatives, bytes of a literal and of descriptions. In a
 * sentence: bytes of the type of an argument, and nested schemas.
 */
#define TYPES_MODULE_MAX MIB
#define TYPES_TOOL_MAX (64 * KIB)
#define TYPES_WORK_MAX (8 * MIB)
#define TYPES_DEPTH_MAX 32
#define TYPES_NAMED_MAX 64
#define TYPES_CHOICES_MAX 200
#define TYPES_LITERAL_MAX 200
#define TYPES_ABOUT_MAX KIB
#define TYPES_MEMBER_ABOUT_MAX 200
#define TYPES_BRIEF_MAX 150
#define TYPES_BRIEF_DEPTH 6
/*
 * The command mcp in a box of the shell. Number of calls that the process
 * beside the shell handles at once, each with a descriptor; further calls wait
 * in a FIFO, which delays only their own callers. The name of a call is two
 * numbers. The buffer for received names has twice the size that a FIFO writes
 * atomically.
 */
#define MCP_CALLS_MAX 64
#define MCP_NAME_MAX 32
#define MCP_NAMES_MAX (8 * KIB)
/* Depth to which the types of an argument are searched in a schema. */
#define MCP_SCHEMA_DEPTH 8
/* In a list of tools: bytes of a value, and choices. */
#define MCP_SHOWN_MAX 60
#define MCP_CHOICES_MAX 10
/* Tools in a search result, and bytes of a description on their lines. */
#define MCP_FOUND_MAX 10
#define MCP_ABOUT_MAX 200
/* A sentence about a request, with a line of the server's standard error. */
#define REFUSED_REASON_MAX (8 * KIB)
/* Bytes shown of a sentence of the server, and the number of names in it. */
#define REFUSED_FOREIGN_MAX (2 * KIB)
/*
 * Maximum output of a server before it is ready that is not MCP, in bytes and
 * in lines: more than any banner or log. Above it the program is considered not
 * to be an MCP server; below it a slow server has time to start.
 */
#define SERVER_NOISE_MAX (32 * MIB)
#define SERVER_NOISE_LINES 100000
/* Bytes shown of a line that a server wrote instead of MCP. */
#define REFUSED_BANNER_MAX 200
/* An error instead of a list of tools: masking takes the broker some 8 ms. */
#define REFUSED_ERROR_MAX (8 * KIB)
#define REFUSED_NAMES_MAX 10
/* Calls listed that an execution was waiting for; further ones are counted. */
#define WAITING_SHOWN 5
#define WAITING_NAME_MAX 60
#define DONE_WAITING_MAX (WAITING_SHOWN * (WAITING_NAME_MAX + 30))
/*
 * Notes about the code behind its output: a screen of sentences. Further ones
 * are counted in one more; a note that is cut ends with "...". A note may have
 * the name of a server, and is then shown once. A frame may escape each byte of
 * a note that is cut. An owner's names of servers are forgotten above a number
 * of bytes, so that a note may be shown again, but nothing grows.
 */
#define NOTES_MAX 16
#define NOTE_MAX 600
#define NOTE_ONCE_MAX CONFIG_NAME_MAX
#define NOTES_BYTES_MAX ((NOTES_MAX + 1) * (NOTE_MAX + NOTE_ONCE_MAX + 2 * 4))
#define NOTE_FRAME_MAX (64 * KIB)
#define OWNER_TOLD_MAX (16 * KIB)
/* Tools whose calls are counted by name; those of further ones together. */
#define TALLY_TOOLS_MAX 16
#define DONE_CALLS_MAX (2 * (TALLY_TOOLS_MAX + 1) * (WAITING_NAME_MAX + 60))
/* A sentence about an invalid frame, or about a box that cannot be built. */
#define FAULT_REASON_MAX 200
#define FAILED_REASON_MAX 400

/* Lines of the client: JSON may encode each byte of code as six ("\u0000"). */
#define CLIENT_LINE_FACTOR 6
#define CLIENT_LINE_EXTRA (64 * KIB)
/* Answers a client does not read: new calls are refused; it counts as gone. */
#define CLIENT_UNSENT_BUSY (64 * MIB)
#define CLIENT_UNSENT_MAX (256 * MIB)
/* Milliseconds that clients may store answers which only options decide. */
#define MCP_CACHE_MS 300000
/* Subscriptions of a client at once; one is enough, and each has an id. */
#define LISTENS_MAX 16
/* A question: ms for the user to answer, random bytes by which it continues. */
#define QUESTION_MS 600000
#define QUESTION_STATE_BYTES 16
/* Parts of a question: one of each of the three methods, and one more form. */
#define QUESTION_PARTS_MAX 4
/* Questions of an owner without an answer: each keeps its call in memory. */
#define QUESTIONS_MAX 64
/* How long the deadline of an execution stands still for questions, in all. */
#define QUESTION_PAUSE_MS QUESTION_MS
/* A question of a server: bytes, also of its answer; fields; bytes of an id. */
#define QUESTION_BYTES_MAX MIB
#define QUESTION_FIELDS_MAX 64
#define QUESTION_ID_MAX 256
/* Bytes of an address, of a form; its levels: form, field, items, choice. */
#define QUESTION_URL_MAX 8192
#define QUESTION_FORM_MAX (64 * KIB)
#define QUESTION_DEPTH_MAX 4
/* Of an execution at once, of a call in all. */
#define QUESTIONS_OPEN_MAX 8
#define QUESTIONS_CALL_MAX 32
/* Of the log of a server, for a client: messages of a call, bytes of one. */
#define SERVER_LOGS_MAX 100
#define SERVER_LOG_MAX (16 * KIB)
/* How often a call is repeated with what its server asks first. */
#define QUESTION_ROUNDS_MAX 10
/* The id of a request and a progress token in JSON: more than clients use. */
#define CLIENT_ID_MAX (64 * KIB)
/*
 * Requests of HTTP clients. A head of 16 KiB is twice what browsers send with
 * all their cookies. A length has 15 digits at most, so that it fits into 64
 * bits, and the size of a chunk eight, with CR LF. Some old clients send one
 * empty line after a body; many would cost time and count as no request.
 */
#define HTTP_HEAD_MAX (16 * KIB)
#define HTTP_FIELDS_MAX 100
#define HTTP_LENGTH_DIGITS 15
#define HTTP_CHUNK_LINE_MAX 10
#define HTTP_EMPTY_LINES_MAX 4
/* Values of fields of MCP: names of tools are the longest. */
#define HTTP_VALUE_MAX (4 * KIB)
#define HTTP_VALUE_SHOWN 160 /* of it, in a line of the log */
#define HTTP_SESSION_MAX 64
#define HTTP_SESSION_CHARS "0123456789abcdef"
#define HTTP_SESSION_SIZE 32 /* characters of ours: 128 random bits */
#define HTTP_START_SIZE 8 /* before them, the same until the next start */
/* Sessions of an owner: each takes about 1 KiB. */
#define HTTP_SESSIONS_MAX 2000
#define HTTP_TOKEN_MAX 256
/*
 * A token: a prefix by which programs that search for secrets find it, and 256
 * random bits in hexadecimal digits. The file of a server has few tokens, one
 * for each person or program; they are compared one by one.
 */
#define TOKEN_PREFIX "caisson_"
#define TOKEN_RANDOM_SIZE 32
#define TOKEN_SIZE 72 /* 8 + 2 * TOKEN_RANDOM_SIZE characters */
#define TOKEN_DIGEST_SIZE 32
/* The fewest characters of a token that the environment has. */
#define TOKEN_API_MIN 32
#define TOKEN_NAME_MAX 64
#define TOKEN_NAME_CHARS                                                       \
	"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
#define TOKENS_MAX 256
#define TOKENS_FILE_MAX (1 * MIB)
#define TOKEN_RATE_MAX 1000000
/* Seconds of processor time a day: those of more than 10000 processors. */
#define TOKEN_CPU_MAX 1000000000
/* Owners and languages of which calls are counted by themselves. */
#define FIGURES_CALLS_MAX 1024
#define FIGURES_OTHERS "(others)"
#define FIGURES_BOUNDS 16
/* How often a serving program looks whether that file has changed. */
#define TOKENS_WATCH_MS 1000
/*
 * Wrong tokens: addresses whose wrong tokens are counted (72 KiB); wrong tokens
 * without a consequence, for people who mistype; the pause after the next one,
 * which doubles that often, up to the longest; after how long they are
 * forgotten.
 */
#define GUESSES_MAX 1024
#define GUESSES_FREE 5
#define GUESSES_PAUSE_MS 1000ULL
#define GUESSES_DOUBLINGS 8
#define GUESSES_PAUSE_MAX_MS 300000ULL
#define GUESSES_FORGET_MS 900000ULL
/* An IPv6 address with its zone, or an IPv4 address, as text. */
#define HTTP_ADDRESS_MAX 64
#define PUBLIC_URL_MAX 512
#define HTTP_HOSTS_MAX (4 * KIB + PUBLIC_URL_MAX)
/* Of a setting: "localhost:65535 " precedes, the host of public_url follows. */
#define OPTION_HOSTS_MAX (4 * KIB - 16)
/*
 * A body contains code of at most CODE_MAX, which JSON may escape to six times
 * its size, as in a line of standard input. An answer is one of those that
 * standard output carries.
 */
#define HTTP_BODY_MAX (CLIENT_LINE_FACTOR * CODE_MAX + CLIENT_LINE_EXTRA)
#define HTTP_ANSWER_MAX CLIENT_UNSENT_MAX
#define HTTP_RETRY_SECONDS_MAX 86400
/*
 * Connections of all clients, and of one address: 500 idle sessions of one
 * desktop fit. Those with an unanswered request that a guest keeps where
 * others find no place: forty such guests fit. Requests of one guest without
 * an answer, and guests that wait to be welcomed, with the requests that wait
 * with them.
 */
#define HTTP_CONNECTIONS_MAX 2000
#define HTTP_CONNECTIONS_ADDRESS_MAX 1000
#define HTTP_CONNECTIONS_KEPT 50
#define HTTP_ASKS_MAX 1000
#define HTTP_VISITS_MAX 100
/*
 * Addresses (of IPv6: networks) that are remembered, and what one may use by
 * TCP: requests at once, as those behind a proxy share connections; requests a
 * second, which is as fast as one client gets answers, and how many it may send
 * at once after a pause.
 */
#define HTTP_CALLERS_MAX 2500
#define HTTP_CALLER_ASKS_MAX 1000
#define HTTP_CALLER_RATE 1000
#define HTTP_CALLER_BURST 5000
/* Milliseconds between two log lines about one address: they need no token. */
#define HTTP_WARN_MS 60000ULL
/* Clients that wait to be accepted at a socket. */
#define LISTEN_QUEUE 128
/* The path of a Unix socket, or an address of IPv6 with its port. */
#define LISTEN_TEXT_MAX 107
/* Waiting for a socket or the file of tokens of another program: 2 seconds. */
#define FOLDER_LOCK_TRIES 100
#define FOLDER_LOCK_PAUSE_NS 20000000
/* Sockets of one program, and the first one that is inherited. */
#define LISTEN_MAX 8
#define LISTEN_INHERITED 3
/* The pause before a gateway that has ended is restarted. */
#define GATEWAY_RESTART_MS 1000
/* Bytes sent before the answer to the last request; MCP's clients send none. */
#define HTTP_AHEAD_MAX PIPE_CHUNK
/* Bytes of bodies that are being received, of all connections together. */
#define HTTP_BODIES_MAX (256 * MIB)
/*
 * Seconds for a request to arrive from its first byte on, for an idle
 * connection, for a client to read something of its answer, and between two
 * signs of life in a stream of events (proxies often give up after 60).
 */
#define HTTP_REQUEST_SECONDS 60
#define HTTP_IDLE_SECONDS 300
#define HTTP_STALL_SECONDS 60
#define HTTP_ALIVE_SECONDS 15
/* Bytes of a file that a client sends within HTTP_REQUEST_SECONDS. */
#define HTTP_POUR_STEP MIB
/* Files that an owner may send at a time: each takes descriptors. */
#define HTTP_UPLOADS_MAX 8
/* For a client to read the last answer, after which it should close. */
#define HTTP_LINGER_SECONDS 2
/* Bytes of answers that all clients together have not read. */
#define HTTP_UNSENT_MAX (512 * MIB)
/* Unread events above which a client is considered gone. */
#define HTTP_EVENTS_UNSENT_MAX (16 * MIB)
/*
 * A client whose connection broke may come back for the events of an answer:
 * so long after its last one, and so many bytes of them for a guest and for
 * all. An answer counts as at least HTTP_REPLAY_MIN.
 */
#define HTTP_REPLAY_SECONDS 300
/* After which a connection whose body waits is looked at again. */
#define HTTP_LOOK_MS 250
#define HTTP_REPLAY_LOOK_MS 30000 /* how often the age is looked at */
#define HTTP_REPLAY_GUEST_MAX (16 * MIB)
#define HTTP_REPLAY_MAX (64 * MIB)
#define HTTP_REPLAY_MIN KIB
#define HTTP_EVENT_ID_MAX 40 /* two numbers, of the answer and the event */
/* Messages in a JSON-RPC batch: their answers are held until all are ready. */
#define CLIENT_BATCH_MAX 100

/*
 * Times in milliseconds. A box starts in 20. A machine that swaps, or on which
 * other boxes fork as fast as they can, needs seconds, sometimes twenty; it
 * once needed more than ten to end six large processes. Draining starts when
 * all processes of the box have ended: at most one full pipe per stream is
 * left.
 */
#define BOX_START_MS 60000
#define BOX_DRAIN_MS 30000
/* An unreported end of a box, and no report for so long: its launcher hangs. */
#define BOX_HANG_MS 1000
/* Before a box that ended early is replaced: its cause is known then. */
#define CALL_REPLACE_MS 20
/* Between two tries of a call whose user has too many processes. */
#define CALL_RETRY_MS 200
/* For processes that the code has left, to exit and close its pipes. */
#define BOX_LEFTOVERS_MS 10
/*
 * Usually there are none, and the box is idle. It is killed after this delay,
 * because the kernel needs a millisecond to remove it; calls that arrived
 * together are answered first.
 */
#define REAPER_LEAVE_MS 20
/* Children of a box that are tested together: its init and code. */
#define REAPER_ALIVE_MAX 2
/* Minimum interval between sweeps for unknown children. */
#define REAPER_SWEEP_MS 10
/* A worker that a signal has stopped for so long is killed: calls need it. */
#define WORKER_STOPPED_MS 1000
/* Orphans are assumed gone after this many sweeps in a row without one. */
#define REAPER_HUNTS 2
/*
 * For the calls and servers to end after a signal: with the time below it, less
 * than TimeoutStopSec of caisson.service, and more than BOX_DRAIN_MS.
 */
#define SHUTDOWN_DRAIN_MS 45000
/* How often a service manager is told what is served, when that has changed. */
#define SERVE_STATUS_MS 1000
#define SERVE_STATUS_SIZE 128
/* For systemctl: longer than TimeoutStartSec of caisson.service. */
#define UNITS_ASK_MS 310000U
/* For systemd-run to make a scope and run a program in it, on slow machines. */
#define SCOPE_TRY_MS 15000U
/* The same, where no scope is required: clients wait 10 s for a start. */
#define SCOPE_AUTO_MS 5000U
/* For the kernel to end all remaining processes at the end of the program. */
#define SHUTDOWN_REAP_MS 5000

/*
 * Idle boxes that wait for a call (supervisor/run/pool). More than POOL_MAX are
 * never needed at once. The default size uses at most one thirty-second of the
 * machine's memory; a box with its relay has about this size.
 */
#define POOL_MAX 64
#define POOL_MEMORY_SHARE 32
#define POOL_BOX_BYTES (12 * MIB)
/* Boxes started in parallel: one for each of two processors, the usual. */
#define POOL_STARTS_MAX 2
/* Boxes are started when no call ended for this long; at most this delay. */
#define POOL_CALM_MS 5
#define POOL_CALM_MOST_MS 100
/* The pause after an idle box failed: doubled each time. */
#define POOL_PAUSE_FIRST_MS 500
#define POOL_PAUSE_MOST_MS 60000
/*
 * The same of a worker, after so many starts of which each soon follows: more
 * than a user who kills it causes.
 */
#define SERVICE_TRIES 10
#define SERVICE_EARLY_MS 1000
/* Boxes not needed for a period go, but one; that after so many: 10 minutes. */
#define POOL_PERIOD_MS 30000
#define POOL_REST_PERIODS 20
/* Maximum age of the linker cache and settings of the host in a box. */
#define POOL_AGE_MS 600000

/*
 * Downstream servers. An execution waits this long for a server to start. A
 * server that has not answered "initialize" much later is ended (the first
 * start of a package may download it). A server that must end gets time to
 * exit, and then less.
 */
#define SERVER_WAIT_MS 20000
#define SERVER_START_MS 120000
/*
 * A search queries many servers and can proceed without one. It waits this long
 * after the start of a server, and shorter for a server that failed to start
 * last time. It never waits for the pause after failures.
 */
#define SERVER_LOOK_MS 10000
#define SERVER_LOOK_AGAIN_MS 1000
#define SERVER_PROCESS_EOF_MS 2000
#define SERVER_PROCESS_TERM_MS 2000
/* For its keeper to kill it, with possibly thousands of processes. */
#define SERVER_PROCESS_KILL_MS 2000
/*
 * After SIGKILL of the supervisor, when nothing that it has started runs, but
 * for the removal of containers: the kernel ends boxes and workers in some
 * 30 ms, keepers their servers; on a busy machine each waits for a processor.
 */
#define SUPERVISOR_KILLED_MS 5000
/* A keeper that kills looks again after this, or when a child has ended. */
#define KEEPER_PAUSE_MS 10
/*
 * Of the client of a container engine. It exits within milliseconds when its
 * container is removed; if not, it was still about to create the container.
 * The monitor of a container needs less than a second to record its end. An
 * engine that was just killed may hold a lock for a moment, so a failed removal
 * is repeated; for CONTAINER_REMOVE_MS while the engine says that the container
 * exists.
 */
#define KEEPER_CLIENT_MS 1000
#define KEEPER_REST_MS 2000
#define KEEPER_REMOVALS 3
/*
 * Containers. An engine removes one in a fifth of a second, on a busy machine
 * in a few seconds. At the end of the program all are removed at once. A trial
 * starts one container with small limits, and exceeds them. Then the
 * interpreter of the image imports some modules, which takes seconds on a busy
 * machine; its limit ends it before that of the trial ends the engine. Listing
 * all, or asking where one runs, takes less. A keeper ends an engine that hangs
 * within two times CONTAINER_REMOVE_MS.
 */
#define CONTAINER_REMOVE_MS 10000
#define CONTAINER_FINISH_MS 30000
#define CONTAINER_TRIAL_MS 60000
#define CONTAINER_INTERPRETER_S 30
#define CONTAINER_LIST_MS 30000
#define CONTAINER_TRIAL_MEMORY (64 * MIB)
#define CONTAINER_TRIAL_PROCESSES 32
/* The image that is fetched where none is set, and how long that may take. */
#define CONTAINER_FETCH_IMAGE "docker.io/library/python:3.14-slim"
#define CONTAINER_FETCH_MS 600000
/* Between two reports to a client that waits for it: clients give up later. */
#define FETCH_PROGRESS_MS 10000
/* Of the user of all containers; podman 4 lowers its own to this. */
#define CONTAINER_USER_PROCESSES 32768UL
/* Process 1, the pump, and one that the engine adds while it starts. */
#define CONTAINER_HELPER_PROCESSES 3
/* Seconds for the start and the end of a container. */
#define CONTAINER_LIFETIME_EXTRA 120
/* Of an engine: a list of some thousand containers; a few lines of errors. */
#define ENGINE_OUT_MAX MIB
#define ENGINE_ERRORS_MAX (8 * KIB)
#define ENGINE_CHUNK 4096
/* For a keeper to end it: more than two times CONTAINER_REMOVE_MS. */
#define ENGINE_END_MS 25000
/* Processes of one name: running, no longer configured but used, and ending. */
#define SERVER_PROCESSES_MAX 4
/* Pauses before a server that keeps failing is restarted: doubled each time. */
#define SERVER_PAUSE_FIRST_MS 500
#define SERVER_PAUSE_MOST_MS 30000
/* A server that ran this long, or has answered, did not fail to start. */
#define SERVER_STEADY_MS 10000
/* From the end of a server's output to its exit status: usually 1. */
#define SERVER_END_WAIT_MS 1000
/* Bytes of output read after a server's end: the most that a pipe holds. */
#define SERVER_DRAIN_MAX MIB
/* Bytes kept of standard error: an error message above a long stack trace. */
#define SERVER_ERRORS_KEPT (16 * KIB)
/*
 * Masked values: shorter ones are ordinary words, but for those of headers and
 * variables, where a single letter is. All hashes fit a message.
 */
#define MASK_LEAST 4
#define MASK_ORIGIN_LEAST 2
#define MASK_SET_MAX (16 * KIB)
/* Size of all pages of one list of tools, and their number. */
#define SERVER_TOOLS_BYTES_MAX (15 * MIB)
#define SERVER_TOOLS_PAGES_MAX 1000
#define SERVER_TOOLS_MAX 10000
/* One tool: real ones have a few kilobytes, generated ones a hundred. */
#define SERVER_TOOL_MAX MIB
/* Tools that cannot be used and are named in the log; others are counted. */
#define SERVER_TOOLS_NAMED_MAX 10
/*
 * Shapes of results. No shape is derived from larger results, which would take
 * too much time of the broker. Objects with more members, or with longer names,
 * hold data.
 */
#define SHAPE_RESULT_MAX (256 * KIB)
#define SHAPE_TEXT_MAX 300 /* bytes */
#define SHAPE_NAME_MAX 64
#define SHAPE_KEYS_MAX 32
#define SHAPE_NAMES_MAX 12 /* of an object whose types are not reported */
#define SHAPE_ITEMS_MAX 20 /* of a list */
/* The broker stores all of them, and so many of one server: about 3 MiB. */
#define SHAPES_MAX 2000
#define SHAPES_SERVER_MAX 500
#define SHAPES_LOOKS_MAX 4 /* results of a tool that are examined */
/* A definition's fingerprint is a SHA-256 hash: its values may be secrets. */
#define FINGERPRINT_SIZE 32
/* Lists of tools that the broker remembers; the least recently used go. */
#define REMEMBERED_BYTES_MAX (32 * MIB)
/* Version of the format, including aliases: incremented when that changes. */
#define TOOL_LISTS_FORM 2
/* A changed list is requested after this delay if no call needs it. */
#define SERVER_RENEWAL_MS 1000
/* Name and version reported by a server, as JSON; more is cut off. */
#define SERVER_INFO_MAX 400
/* Instructions of a server for code: a page of text; more is cut off. */
#define SERVER_INSTRUCTIONS_MAX (4 * KIB)
/* Purpose reported by a server, if none is configured: one sentence. */
#define SERVER_ABOUT_MAX 200
/*
 * After this many consecutive requests timed out without an answer or progress,
 * the server is sent a ping. If that is not answered within this time, which
 * suffices for any running program, the server is stopped.
 */
#define SERVER_SILENCES_MAX 3
#define SERVER_PING_MS 5000
/* The pause between requests for a list that keeps changing. */
#define LISTING_PAUSE_MS 500
/* For the list of a server that was silent the last time: searches wait. */
#define LISTING_SILENT_MS 1000
/* The same for a call whose arguments do not fit the list that is known. */
#define SERVER_RELIST_MS 1000
/*
 * Bytes of calls not yet sent to a server; above this, calls are refused. As
 * with places, a single execution may use half, which is as much as it may have
 * in flight.
 */
#define SERVER_UNWRITTEN_MAX (2 * ARGUMENTS_UNDER_WAY_MAX)
/* Bytes that all servers together have not read: calls of four executions. */
#define BROKER_UNWRITTEN_MAX (4 * ARGUMENTS_UNDER_WAY_MAX)
/*
 * The rest of a call that is being sent, perhaps the largest, and as much of
 * notifications and answers to requests of the server. Above this, the server
 * must read some of it first.
 */
#define SERVER_UNREAD_MAX (2 * TOOL_ARGUMENTS_MAX)

/*
 * Descriptors of the broker: three for each server process, using three
 * quarters of its limit. The rest is for executions (at most one sixteenth as
 * many: SUPERVISOR_NOFILE_CALL) and for large answers.
 */
#define BROKER_NOFILE_LINK 3
#define BROKER_NOFILE_SHARE 4

/* From this size on, the broker's memory is its own mapping, and freed. */
#define BROKER_MMAP_LEAST (128 * 1024) /* malloc's own initial value */

/*
 * User IDs when started as root. The range is above those of distributions and
 * containers (systemd's table of user IDs ends its container range at
 * 1879048191). Relays share one ID and each box has its own, so no box can
 * exhaust a limit of another one's ID (such as descriptors in flight).
 */
#define RELAY_UID 1879048192
#define BOX_UID_FIRST (RELAY_UID + 1)
#define BOX_UID_COUNT 1000000
/* The template of boxes, which has its own ID. */
#define TEMPLATE_UID (BOX_UID_FIRST + BOX_UID_COUNT)
/*
 * The first IDs of the blocks; every running Caisson of root has its own block.
 * The last block ends below 2^31, as some programs treat larger IDs as
 * negative.
 */
#define UID_BLOCK (BOX_UID_COUNT + 2)
#define UID_BLOCKS 268
/* In a container with a map of 65536 users: the last two, for all processes. */
#define RELAY_UID_FEW 65533
#define BOX_UID_FEW 65534

/*
 * Descriptors of the supervisor: at most 16 at once for each call or idle box
 * (eight ends of pipes, most of which are closed before two channels, a
 * session, four pidfds, two directories, a cgroup and a file of counts are all
 * open), and a few of its own. With a lower limit it refuses to start, because
 * calls would fail.
 */
#define SUPERVISOR_NOFILE_CALL 16
#define SUPERVISOR_NOFILE_BASE 64
#define SUPERVISOR_NOFILE_AIM 65536

/* Modules that a template imports: a few names. */
#define PRELOAD_MAX 1000
/*
 * A template starts in a tenth of a second; large libraries take seconds. It is
 * replaced after this many boxes or minutes, because its boxes share addresses
 * and the seed of hash(). After a failure the next attempt waits for a pause,
 * which doubles.
 */
#define TEMPLATE_START_MS 60000
#define TEMPLATE_FORKS_MAX 10000
#define TEMPLATE_AGE_MS (60 * 60 * 1000UL)
#define TEMPLATE_PAUSE_FIRST_MS 1000UL
#define TEMPLATE_PAUSE_MOST_MS (5 * 60 * 1000UL)
/* The stack of a worker until its exec. It makes a few system calls. */
#define SPAWN_STACK (32 * KIB)
/* The stack of the launcher that runs in the memory of a template. */
#define BOX_TEMPLATE_STACK (256 * KIB)
/*
 * Network namespaces that a template keeps for its boxes, each with two
 * descriptors: as many as there are usually boxes at once. Each further box
 * creates its own, which takes half a millisecond.
 */
#define BOX_NETS_MAX 64
/* Interval of the check whether the last box of an ended template has ended. */
#define BOX_TEMPLATE_LOOK_MS 1000

/* CPU time of a box beyond the deadline, by which it is killed. */
#define BOX_CPU_EXTRA_SECONDS 5
/* More than any kernel supports: a file with a larger number is not trusted. */
#define PROCESSORS_MAX 65536
/* Three years: the maximum in the catalogue. */
#define BOX_CPU_SECONDS_MAX 100000000
/* Files in each writable place: a thousand bytes of kernel memory for each. */
#define BOX_INODES 16384
/* The root of a box: synthetic files and the bootstrap, read-only. */
#define BOX_ROOT_BYTES (16 * MIB)
#define BOX_ROOT_INODES 4096
/* A file copied from /etc: the linker's cache of a desktop has 0.3 MiB. */
#define BOX_COPY_MAX MIB
/* The bootstrap beside the binary: a few dozen small files are copied. */
#define BOX_DATA_FILES_MAX 256
#define BOX_DATA_BYTES_MAX (4 * MIB)
#define BOX_DATA_DEPTH_MAX 8
/* Parts of the host bound into a box, and links that lead to an interpreter. */
#define BOX_TREES_MAX 48
#define BOX_LINKS_MAX 64
#define BOX_LINK_HOPS_MAX 40 /* MAXSYMLINKS of the kernel */
/* The user ID of a box as the code sees it: the first of ordinary users. */
#define BOX_USER 1000
/* More than programs usually open; each can be a full pipe of 64 KiB. */
#define BOX_NOFILE 256
/* Timers and queued signals: the kernel counts them for the user outside. */
#define BOX_SIGPENDING 1024
#define BOX_STACK (8 * MIB)
/* Or this fraction of the memory, if that is less. */
#define BOX_STACK_SHARE 64
/*
 * Threads that libraries start automatically, if there are enough processors. A
 * thread of OpenBLAS allocates up to 128 MiB and a stack, which count as memory
 * before they are used, and OpenBLAS waits forever if the allocation fails.
 * Together its threads get half of the memory, and the code the rest. Threads
 * of OpenMP only need a stack: eight of them get an eighth.
 */
#define BOX_BLAS_THREAD_BYTES (136 * MIB)
#define BOX_BLAS_SHARE 2
#define BOX_OMP_THREADS_MAX 8
/*
 * Address space above the memory limit: libraries, guard pages, and the space
 * that malloc reserves for two arenas. RLIMIT_DATA limits private memory; this
 * limits mappings of files.
 */
#define BOX_ADDRESS_EXTRA GIB
/*
 * Memory of a box as a whole, watched by its init
 * (worker/box/native/memory/memory.c). The box is killed slightly above the
 * limit. A single process reaches RLIMIT_DATA before, which Python reports as
 * MemoryError, even with page tables, stacks and relocated library pages
 * included.
 */
#define BOX_MEMORY_SLACK (16 * MIB)
/* The most that one processor writes in a second, in bytes, and of all. */
#define BOX_MEMORY_SPEED (4 * GIB)
#define BOX_MEMORY_SPEED_MOST (32 * GIB)
/* Bytes written to find out whether it does, and how often at most. */
#define BOX_MEMORY_SAMPLE (4 * KIB)
#define BOX_MEMORY_SAMPLES 8
/* When to measure next: it takes 50 microseconds, or a millisecond if exact. */
#define BOX_MEMORY_WAIT_LEAST_MS 5
#define BOX_MEMORY_WAIT_MOST_MS 250
/* The least on a processor of its own: seven others fill 57 MiB meanwhile. */
#define BOX_MEMORY_WAIT_NARROW_MS 2
/* How long the memory of ended code is kept: longer than REAPER_LEAVE_MS. */
#define BOX_HOLDER_REST_MS 40
/*
 * Ranges of a template's memory that the init of a forked box does not copy.
 * They lie between and around the three objects that it needs, about ten in
 * all. Ranges beyond this number are copied.
 */
#define BOX_SPARE_MAX 64
/* Ranges that boxes of a template write to, some hundred: at most IOV_MAX. */
#define BOX_AHEAD_MAX 1024
/* Larger parts are not searched: no template has them. */
#define BOX_AHEAD_PART_MAX (1024UL * MIB)
/* How long the box that finds them may take; it takes some milliseconds. */
#define BOX_AHEAD_WAIT_MS 10000
/*
 * The allocator of Python: from 3.10 on a pool has 16 KiB, before that a
 * quarter; the first block follows a header. Block sizes are multiples of 16
 * bytes, up to 512.
 */
#define BOX_POOL_BYTES (16 * KIB)
#define BOX_POOL_HEAD 48
#define BOX_BLOCK_STEP 16
#define BOX_BLOCK_MOST 512
/*
 * A template fills the free memory of its heap and of Python's allocator before
 * boxes are forked. Free pieces are smaller than those that the C library maps
 * separately (128 KiB), and each small size (up to 1032 bytes) has its own
 * list. At most BOX_HOLES_MOST bytes are filled in each allocator.
 */
#define BOX_HOLE_LARGEST (64 * KIB)
#define BOX_HOLE_SMALL (2 * KIB)
#define BOX_HOLES_MOST (8 * MIB)
/*
 * Blocks of Python that a box takes from the heap, in bytes: all that short
 * code needs. Then it uses the allocator of Python, which is faster, but uses
 * more pages.
 */
#define BOX_COMPACT_MOST MIB
/* The smallest size of a page. */
#define BOX_PAGE_LEAST (4 * KIB)
/* A measurement so late is repeated, all stopped: 24 MiB may be filled. */
#define BOX_MEMORY_LATE_MS 3
/* With more threads, each may fill this much before the watchdog runs. */
#define BOX_MEMORY_FEW 8
#define BOX_MEMORY_TURN (16 * MIB)
/*
 * Attempts to stop all processes of a box that continue each other. A program
 * that sends SIGCONT at intervals meets fewer of them. An attempt counts if a
 * process of the box has used CPU time since the one before.
 */
#define BOX_MEMORY_HOLDS 10
/* Attempts with a signal to each; then one signal stops all processes. */
#define BOX_MEMORY_SINGLY 4
/* The pause between two attempts. */
#define BOX_MEMORY_HOLD_MS 1
/* The minimum time slice of a process in Linux. */
#define BOX_MEMORY_SLICE_NS 100000
/* Number of processes in a box whose code has started none. */
#define BOX_MEMORY_SEEN 2
/*
 * Processes that are stopped before all are listed, and those of which each
 * thread was stopped: many more than a box has with the default limit. Further
 * processes are found by listing; they are continued even if the code had
 * stopped them. A box with more of the second kind cannot be stopped, and is
 * killed. The second number is also that of recorded processes whose first
 * thread has ended.
 */
#define BOX_MEMORY_KNOWN 1024
#define BOX_MEMORY_FORCED 256
/* Sessions: how often idle ones are examined. */
#define SESSION_LOOK_MS 1000
/* A line of /proc/meminfo, which has some 30 characters. */
#define MACHINE_MEMORY_LINE 128
/* The time that interrupted code of a session has to end. */
#define SESSION_GRACE_MS 2000
/* The pause of a call until processes that the one before has left are gone. */
#define SESSION_SETTLE_MS 2
/* Bytes of the name of a session. */
#define SESSION_NAME_MAX 64
/* Sessions at once: each holds a dozen descriptors. */
#define SESSIONS_MAX 256
#define SESSION_CALLS_MAX 1000000
/*
 * Ended sessions whose end is remembered for the next call that names them:
 * each takes a few hundred bytes. The owner with most of them loses the oldest.
 */
#define SESSION_LOSSES_MAX 256
/*
 * Commands that ask a running Caisson for its sessions: how many at once, and
 * how long each may take; that is also how long a command waits for an answer.
 */
#define OPERATORS_MAX 8
#define OPERATOR_MS 5000
/* The pause after a command could not be accepted for lack of resources. */
#define OPERATOR_PAUSE_MS 1000
/*
 * The socket at which it is asked: hexadecimal digits of its name, commands
 * that wait there, and the age at which a socket without a listener is removed:
 * its Caisson listens there a moment after it has made it.
 */
#define RENDEZVOUS_NAME_SIZE 16
#define RENDEZVOUS_QUEUE 16
#define RENDEZVOUS_STALE_SECONDS 10
/* Processes whose CPU time is recorded. */
#define BOX_MEMORY_CLOCKS 256
/*
 * The processes that a program of a session leaves are killed, and looked for
 * again after a pause, this often. A process with much memory takes a second to
 * end. Then a session whose processes do not end is ended.
 */
#define BOX_CLEAR_LOOKS 2000
#define BOX_CLEAR_MS 1
/* The supervisor waits longer for that, by this factor: the machine is busy. */
#define BOX_CLEAR_PATIENCE 3
/* After so many attempts all are stopped first: some may be forking. */
#define BOX_CLEAR_STOPS 3
/* The process of the code, in the pid namespace of its box. */
#define BOX_CODE_PID 2
/*
 * Files of a process that are read whole, in bytes. A status is the longest: it
 * lists the groups of the user, of which there may be many, before the needed
 * lines. The second number is the size of one read of a directory.
 */
#define BOX_MEMORY_TEXT_SIZE 16384
#define BOX_MEMORY_ENTRIES_SIZE 4096
/* Three averages and three numbers, the last of which is that of a process. */
#define BOX_MEMORY_LOAD_SIZE 80
/* Sockets that are not counted: more than programs usually have. */
#define BOX_SOCKETS_FREE 32
/* Kernel memory for a file in memory, without its content. */
#define BOX_INODE_BYTES KIB
/*
 * Memory mappings that are not counted: more than large libraries make. The
 * n-th counted process may have an n-th of them, and at least BOX_MAPS_LEAST,
 * as many as an interpreter has. For each further one the kernel keeps a
 * vm_area_struct, an anon_vma, and an anon_vma_chain per fork. They are counted
 * rarely, because the kernel prints a line for each.
 */
#define BOX_MAPS_FREE 4096UL
#define BOX_MAPS_LEAST 256UL
#define BOX_MAP_BYTES 320UL
#define BOX_MAP_LINK_BYTES 64UL
#define BOX_MAPS_LOOK_MS 500
/* Exit statuses of init: memory exceeded; unknown; not to be stopped. */
#define BOX_EXIT_MEMORY 64
#define BOX_EXIT_BLIND 65
#define BOX_EXIT_LOOSE 66
/* A file may exceed its file system: writes fail with ENOSPC, not EFBIG. */
#define BOX_FILE_EXTRA MIB

/*
 * A box in its own cgroup: the processes beside those of the code (init, the
 * holder, and the launcher while it builds), and the kernel's default period of
 * cpu.max. Its directory is removed when its processes have ended: usually at
 * once, otherwise soon.
 */
#define GROUP_HELPER_PROCESSES 3
#define GROUP_PERIOD_US 100000
#define GROUP_PAUSE_FIRST_MS 5
#define GROUP_PAUSE_MOST_MS 1000
/* "box", two numbers of the supervisor, and the number of the execution. */
#define GROUP_NAME_SIZE 80
/* Bytes read of a file of a cgroup: a few lines, or a few process IDs. */
#define GROUP_TEXT_SIZE 4096

/*
 * Reduced isolation: the length of the name of a private directory
 * ("/tmp/caisson-box-" and 16 digits), and the number of entries of an
 * abandoned one that are removed before another box is built.
 */
#define BOX_FOLDER_SIZE 64
#define BOX_FOLDER_SWEPT_MAX 20000

/*
 * Configuration files of servers (worker/reader). The sizes of a row add up to
 * less than a packet; each is far above practical use. The rows of all entries
 * must fit into the queue of a channel.
 */
#define CONFIG_FILE_MAX (64 * MIB) /* clients store their history in them */
#define CONFIG_PROJECT_FILE_MAX MIB /* untrusted, so a smaller limit */
#define CONFIG_TREE_MAX MIB /* of TOML and YAML, which are parsed into trees */
#define CONFIG_NODES_MAX 20000 /* of such a tree: names are compared linearly */
#define CONFIG_DEPTH_MAX 64 /* of such a tree */
#define CONFIG_FILES_MAX 256 /* of one folder */
#define CONFIG_ENTRIES_MAX 500 /* of one file */
#define CONFIG_SERVERS_MAX 1000 /* of all files */
#define CONFIG_NAME_MAX 128
#define CONFIG_PATH_MAX 4095 /* PATH_MAX without its NUL */
#define CONFIG_ARGS_MAX (20 * KIB)
#define CONFIG_ENV_MAX (24 * KIB)
#define CONFIG_DESCRIPTION_MAX (4 * KIB)
#define CONFIG_TOOLS_MAX (3 * KIB) /* patterns of permitted tools */
#define CONFIG_RULES_MAX KIB /* those of resources and prompts */
#define CONFIG_REASON_MAX 400
#define CONFIG_GAP_MAX 256 /* blanks around an entry: deeper indentation is
			    * unusual */
/* Files whose faults one answer reports: a sentence has 1,000 bytes. */
#define SERVER_FAULTS_SHOWN 2
/* A name as a Python identifier: an underscore and a number more. */
#define ALIAS_MAX (CONFIG_NAME_MAX + 16)
/* Each name and a NUL; each row as JSON, where a byte may become six. */
#define SERVERS_NAMES_MAX (CONFIG_SERVERS_MAX * (CONFIG_NAME_MAX + 1))
#define SERVERS_JSON_MAX (32 * MIB)
#define ENDED_HOW_MAX 400
/* Why a server is no longer trusted: the path of its file, and the cause. */
#define REVOKED_MAX (CONFIG_PATH_MAX + 2 * CONFIG_REASON_MAX)
#define TRIED_TOOLS_MAX (64 * KIB)
/* One argument or variable of a program: MAX_ARG_STRLEN of the kernel. */
#define CONFIG_EXPANDED_MAX (128 * KIB - 1)
/* A dead network drive never answers; 64 MiB take a second to read. */
#define CONFIG_READ_MS 5000
#define CONFIG_READ_MIB_MS 100
/* Tries to open a path with "..": 1 in 14 fails while others rename. */
#define CONFIG_OPEN_TRIES 100
/*
 * The last content of a file that is missing, empty or half written is used for
 * this long. Programs that overwrite their files in place take milliseconds,
 * and more than a second on a busy machine or a network drive.
 */
#define CONFIG_STALE_MS 2000
/* Two ticks of the slowest clock used for file times. */
#define CONFIG_TICK_MS 20

/*
 * Data kept between calls (worker/store). Another process that shares the state
 * directory holds its lock for milliseconds; the store does not wait forever
 * for a stopped one.
 */
#define STORE_BUSY_MS 5000
/* A larger database is not checked when opened, which takes 2 ms per MiB. */
#define DATABASE_CHECKED_MAX (256 * MIB)
/* The write-ahead log is written back and cut at this size: small disks. */
#define DATABASE_LOG_MAX (512 * KIB)
/* How often an execution gets the store, which its code may make crash. */
#define STORE_FETCHES_MAX 10
/*
 * A key is a name; anything longer is data. A value is an intermediate result;
 * larger data belongs into a file of a server. Listings come in pages; a page
 * always holds at least one key with its metadata.
 */
#define MEMORY_KEY_MAX (4 * KIB)
#define MEMORY_VALUE_MAX (4 * MIB)
#define MEMORY_METADATA_MAX (16 * KIB)
/*
 * Metadata are listed together, so one entry must not break the list. Python
 * prints no integer with more digits (sys.int_info.default_max_str_digits). An
 * answer may be nested JSON_DEPTH_MAX deep, and metadata are three levels deep
 * in it. The box writes no deeper values itself.
 */
#define MEMORY_DIGITS_MAX 4300
#define MEMORY_METADATA_DEPTH_MAX 250
#define MEMORIES_MAX 10000
#define SAVED_TOOL_NAME_MAX 128
#define SAVED_TOOL_SOURCE_MAX (256 * KIB)
#define SAVED_TOOL_ABOUT_MAX 400
#define SAVED_TOOLS_MAX 1000
/* Tools that one execution adds: a twentieth, more than one program defines. */
#define SAVED_TOOLS_NEW_MAX 50
#define STORE_PAGE_MAX (256 * KIB)
/* The name of a token: a word. */
#define STORE_SCOPE_MAX 128
#define OWNER_NAME_MAX 128
/*
 * Stored lists of tools: the size of each (hundreds of tools have half a
 * megabyte), their number, and the size of all. Lists that were not used for
 * this long are removed first.
 */
#define TOOL_LIST_MAX (4 * MIB)
#define TOOL_LISTS_MAX 500
#define TOOL_LISTS_BYTES_MAX (64 * MIB)
#define TOOL_LISTS_DAYS 90
/* Time limit for looking up a list; afterwards the server itself is queried. */
#define TOOL_LISTS_WAIT_MS 1000
/* Pause before the next attempt after a store was unusable. */
#define TOOL_LISTS_PAUSE_MS 30000
/* Bytes of all memories and saved tools: the bounds of the option. */
#define STATE_MAX_MIN MIB
#define STATE_MAX_MAX (16 * GIB)

/*
 * Files that executions leave and are given (worker/files). A name is a file
 * name, after those of its folders. The number per owner includes all versions,
 * because they are listed in one answer. An execution usually leaves a few
 * files; after the hundredth they are counted but not examined.
 */
#define FILE_NAME_MAX 255
#define FILE_TYPE_MAX 127 /* a media type: RFC 6838 allows 127 for each half */
#define FILES_COUNT_MAX 1000
/* Those of all owners: the directory is read for each task. */
#define FILES_ALL_MAX 10000
#define FILES_OUT_MAX 100
/* Names in the path of a file, folders included; and folders of a call. */
#define FILES_DEPTH_MAX 8
#define FILES_FOLDERS_MAX 1000
/* Between looks whether the directories of code that runs are full. */
#define FILES_FULL_LOOK_MS 100
/* The id of a conversation: clients use UUIDs, URLs and names of threads. */
#define CONVERSATION_ID_MAX 128
/* An owner of files: a scope, and of a conversation's also \n and its id. */
#define FILES_OWNER_MAX (OWNER_NAME_MAX + 1 + CONVERSATION_ID_MAX)
#define FILES_GIVEN_MAX 32
/*
 * Files of a conversation, however they come. Those of earlier versions may
 * have more, and are still given to a box, with the version of each.
 */
#define FILES_DATA_MAX FILES_OUT_MAX
#define FILES_VERSION_SIZE 21 /* a decimal number of 64 bits, and a NUL */
#define FILES_SYNCED_MAX                                                     \
	(FILES_COUNT_MAX * (FILE_NAME_MAX + 1 + 2 * FILES_VERSION_SIZE))
/* Numbers of removed versions of an owner; equal hashes share one. */
#define FILES_VERSIONS 32768
/* Files of one execution that wait, with their descriptors, to be copied. */
#define FILES_WAITING_MAX 8
/* A file may be named with its version and its conversation. */
#define FILES_GIVEN_SIZE                                                       \
	(FILES_VERSION_SIZE + CONVERSATION_ID_MAX + 1 + FILE_NAME_MAX + 1)
#define FILES_NAMES_MAX (FILES_GIVEN_MAX * FILES_GIVEN_SIZE)
/* Files for which an answer says why they are not kept; others are counted. */
#define FILES_NAMED_MAX 10
/* A file that comes by message: from a client, or from a command. */
#define FILE_ADD_MAX (256 * MIB)
/* A file that a client reads: clients accept no more base64 in an answer. */
#define FILE_READ_MAX (32 * MIB)
/* Reads of files of an owner in progress, and those that wait for them. */
#define RESOURCES_AT_ONCE 2
/* Files on one page of a list, where lists have pages. */
#define RESOURCES_PAGE 100
/* Values of a completion: the specification allows no more. */
#define COMPLETION_VALUES_MAX 100
#define RESOURCES_WAITING_MAX 1000
/* Bytes before the content of a stored file: its name, its owner, and so on. */
#define FILE_HEAD_SIZE KIB
/* Files are copied in pieces: no request waits for more than one piece. */
#define FILE_PIECE MIB
/* After this many bytes data is synced: a slow disk takes a second. */
#define FILE_SYNC (32 * MIB)
/* Bytes of all files: the bounds of the option; and how long they are kept. */
#define FILES_MAX_MIN MIB
#define FILES_MAX_MAX (1024 * GIB)
#define FILES_DAYS_MAX 36500

/* The limits of all tokens: names and numbers of at most 20 digits. */
#define FILES_LIMITS_MAX (TOKENS_MAX * (TOKEN_NAME_MAX + 1 + 21))
/* Links to files: digits of a signature (SHA-256), and how long it is valid. */
#define FILE_SIGNATURE_SIZE 64
#define FILE_LINK_SECONDS (24 * 60 * 60)
#define FILE_LINK_SECONDS_MAX (366 * FILE_LINK_SECONDS)
/* Limit of a collection: a slow disk takes half a minute for 256 MiB. */
#define FILES_COLLECT_MS 60000
/* How long another process of the same user may lock the directory. */
#define FILES_BUSY_MS 5000
/*
 * A process that keeps files, has tasks and is silent for the first of these
 * times is asked whether it works, and killed if it does not answer within the
 * second. Before it answers, it may have to wait for the lock of the directory,
 * and as long for a slow disk. Both together are shorter than FILES_COLLECT_MS,
 * after which a task is given up whatever the reason.
 */
#define FILES_SILENT_MS 5000
#define FILES_ANSWER_MS 10000
/* Between two looks whether the lock, or a full channel, is free. */
#define FILES_LOOK_MS 5

/*
 * Options (supervisor/options/options.def). An interpreter does not start with
 * less memory or fewer processes; the other bounds exclude numbers that can
 * only be typing errors.
 */
#define MEMORY_MIN (16 * MIB)
#define MEMORY_MAX (1024 * GIB)
#define PIDS_MIN 8
#define PIDS_MAX 32768
/* In hundredths of a processor: cpu.max allows no less. */
#define CPUS_MAX (1024 * 100)
#define OPTION_SHARE_DIGITS 9 /* digits of the whole part: no overflow */
#define OUTPUT_MIN KIB
#define CODE_MIN KIB
#define CONCURRENT_LEAST 4 /* the default, on however few processors */
#define CONCURRENT_MAX 1024
#define QUEUE_MAX 10000
/* The largest user or group ID of code in a container: -1 is not an ID. */
#define CONTAINER_ID_MAX 0xfffffffeU
#define CONTAINER_ID_DIGITS 10
#define CONTAINER_USER_MAX 21 /* two of them, and a colon */
#define OPTION_PATH_MAX 4095 /* PATH_MAX without its NUL */
/* A configuration file has a few lines; a larger file is not one. */
#define OPTION_FILE_MAX MIB
/* Bytes of an invalid value, or of a long path, that an error shows. */
#define OPTION_VALUE_SHOWN 60
#define OPTION_NAME_SHOWN 160

/* Bytes of the name of an annotation or a volume of an image, in a message. */
#define CONTAINER_IMAGE_SHOWN 160
/* Names that "did you mean" compares, and how alike those that it tells are. */
#define SUGGEST_WORD_MAX 100
#define SUGGEST_ALIKE 60
/* The same of options, commands and words: "start" is not "status". */
#define SUGGEST_ALIKE_WORD 75
/* Spaces per level in answers: TOON's default, and usual for JSON. */
#define ANSWER_INDENT 2
/* The shortest fence of a block in Markdown. */
#define ANSWER_FENCE_MIN 3
/* Flags of one command line that belong to its command: names, variables. */
#define COMMAND_GIVEN_MAX 256
/* Enabled images, and words of one command of an image. */
#define IMAGES_MAX 256
#define IMAGE_WORDS_MAX 64
/* For an engine that is asked about images while calls wait: it takes 0.1 s. */
#define IMAGE_ASK_MS 5000
/* The names of an image and of a language are shown in tables. */
#define IMAGE_NAME_MAX 128
#define IMAGE_LANGUAGE_MAX 32
/*
 * Connectors. A message of a remote server is as long as that of a local one,
 * with its envelope; above the queue, no answer is read on. An event stream
 * that was cut is resumed as a server asks, or after CONNECTOR_RETRY_MS.
 */
#define CONNECTOR_LINE_MAX (RESULT_MAX + MIB)
#define CONNECTOR_QUEUE_MAX (4 * MIB)
#define CONNECTOR_CAME_MAX MIB /* of one answer, between two looks */
#define CONNECTOR_CONNECT_MS 10000
#define CONNECTOR_TRUSTED_MAX (4 * MIB) /* of a file of certificates */
#define CONNECTOR_REDIRECTS_MAX 5
#define CONNECTOR_PAGES_MAX 100 /* of a list of tools */
#define CONNECTOR_RESUMES_MAX 5
#define CONNECTOR_RENEWS_MAX 2 /* of the token, for one request */
#define CONNECTOR_RETRY_MS 1000
#define CONNECTOR_RETRY_MS_MAX 30000
/* A stream of what a server sends unasked is opened again after this time. */
#define CONNECTOR_STREAM_MS 3000
/* HTTP+SSE: a server names its address for messages within this time. */
#define CONNECTOR_ENDPOINT_MS 10000
/* Where it did so before; then all is tried anew, this manner at last. */
#define CONNECTOR_RECALLED_MS 1000
/* A server that does not say so has heard that its session is over. */
#define CONNECTOR_GOODBYE_MS 1000
/* How a server is spoken to is found again after a day. */
#define CONNECTOR_MANNER_S 86400
/*
 * Logins. The file of one begins with the second of its end, in LOGIN_HEAD_SIZE
 * bytes; no document about one is larger than LOGIN_SIZE_MAX. A directory that
 * another Caisson has locked is looked at every LOGIN_LOOK_MS, longer than a
 * request takes.
 */
#define LOGIN_FILE "login"
#define LOGIN_HEAD_SIZE 21
#define LOGIN_SIZE_MAX (256 * KIB)
#define LOGIN_FETCH_MS 20000
#define LOGIN_LOOK_MS 50
#define LOGIN_LOCK_MS 30000
#define LOGIN_REQUEST_MAX (64 * KIB) /* of a browser that comes back */
#define LOGIN_CALLBACK_SECONDS 10
#define LOGIN_COMMAND_MAX 1024
#define LOGIN_SENTENCE_MAX 2048
#define LOGIN_URL_MAX (16 * KIB)
/* The text of --help. */
#define HELP_COLUMNS 79
#define HELP_INDENT 6
/* The column of the descriptions of commands. */
#define HELP_COMMAND_INDENT 28

#endif
