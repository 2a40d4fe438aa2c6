/*
 * Why a file was not kept, for its user: cause and fix. Runs in the supervisor;
 * a pure function.
 */
#include "../../common/base/mem.h"
#include "files.h"

/* Returns the texts that contain values of options. */
static char *
file_fault_limit(enum file_fault fault, const struct options *options)
{
	unsigned long long most = options->files_max / MIB;

	switch (fault) {
	case FILE_FAULT_LARGE:
		return mem_printf("it is larger than all files together may be "
		    "(%llu MiB): raise CAISSON_FILES_MAX", most);
	case FILE_FAULT_QUOTA:
		return mem_printf("all files together may take %llu MiB: "
		    "remove some ('caisson files remove'), or raise "
		    "CAISSON_FILES_MAX", most);
	case FILE_FAULT_SHARE:
		return mem_strdup("this client keeps as much as it may beside "
		    "others: remove some files, or let the operator raise "
		    "CAISSON_FILES_MAX ('caisson files usage' shows who keeps "
		    "how much)");
	default:
		return mem_printf("there are %d files, the most there may be: "
		    "remove some ('caisson files remove')", FILES_COUNT_MAX);
	}
}

char *
file_fault_text(enum file_fault fault, const struct options *options)
{
	static const char *const texts[FILE_FAULTS] = {
		[FILE_FAULT_DIRECTORY] = "it is a directory that cannot be "
		    "read, or has too long paths: write one archive of it",
		[FILE_FAULT_SYMBOLIC_LINK] = "it is a symbolic link: write the "
		    "file itself there",
		[FILE_FAULT_FIFO] = "it is a named pipe, and no regular file",
		[FILE_FAULT_SOCKET] = "it is a socket, and no regular file",
		[FILE_FAULT_DEVICE] = "it is a device, and no regular file",
		[FILE_FAULT_LINKED] = "it has more than one name (hard links): "
		    "copy it instead",
		[FILE_FAULT_NAME] = "its name must be UTF-8 without "
		    "control characters, and its path relative, without . and "
		    "..",
		[FILE_FAULT_UNREADABLE] = "it cannot be read: its mode forbids "
		    "that",
		[FILE_FAULT_CHANGED] = "it changed while it was read",
		[FILE_FAULT_DISK] = "the disk of the state directory is full, "
		    "or cannot be written",
		[FILE_FAULT_UNKNOWN] = "there is no file of this name, or not "
		    "this version of it ('caisson files list' shows all)",
		[FILE_FAULT_TAKEN] = "the box already has something of this "
		    "name",
		[FILE_FAULT_ROOM] = "the box has no room for it: raise "
		    "CAISSON_MEMORY",
		[FILE_FAULT_FOLDER] = "the directory of files cannot be used: "
		    "the log says why",
		[FILE_FAULT_BUSY] = "it cannot be opened or handed over now: "
		    "try again; the log says why",
		[FILE_FAULT_CROWDED] = "the conversation has too many files: "
		    "remove some in a call that adds none, or with 'caisson "
		    "files remove'",
		[FILE_FAULT_CLASH] = "a file of the conversation has the name "
		    "of a folder in it: choose another name, or remove that "
		    "file",
		[FILE_FAULT_STAYS] = "other files could not be kept",
		[FILE_FAULT_PORTER] = "the process that copies files was too "
		    "slow or exited early",
	};

	if (texts[fault] == NULL)
		return file_fault_limit(fault, options);
	return mem_strdup(texts[fault]);
}
