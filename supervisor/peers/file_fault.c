/*
 * Why a file was not kept, for its user: cause and fix. Runs in the supervisor;
 * a pure function.
 */
#include <string.h>

#include "../../common/base/mem.h"
#include "files.h"

/* Returns the text of a limit that the owner has by its token. */
static char *
file_fault_own(
    enum file_fault fault, const struct files_usage *used, const char *flag)
{
	double own = (double)used->own / MIB;

	return fault == FILE_FAULT_LARGE ?
	    mem_printf("it is larger than all files of this owner may be (%.1f "
	        "MiB, by its token): the operator can make another token with "
	        "a larger --files-max", own) :
	    mem_printf("this owner keeps %llu files of %.1f MiB, and may keep "
	        "%.1f MiB, by its token: remove some ('caisson files "
	        "remove%s'), or let the operator make another token with a "
	        "larger --files-max", (unsigned long long)used->files,
	        (double)used->bytes / MIB, own, flag);
}

/* Returns the texts that contain values of options, or of the owner. */
static char *
file_fault_limit(enum file_fault fault, const struct options *options,
    const struct files_usage *used, const char *flag)
{
	unsigned long long most = options->files_max / MIB;
	unsigned long long files = used->files;
	double bytes = (double)used->bytes / MIB;

	switch (fault) {
	case FILE_FAULT_LARGE:
		return used->bytes_most >= options->files_max ?
		    mem_printf("it is larger than all files together may be "
		        "(%llu MiB): raise CAISSON_FILES_MAX", most) :
		    mem_printf("it is larger than all files of this owner may "
		        "be beside those of others (%.1f of %llu MiB): raise "
		        "CAISSON_FILES_MAX", (double)used->bytes_most / MIB,
		        most);
	case FILE_FAULT_NAME:
		return mem_printf("its name must be UTF-8 without control "
		    "characters: a relative path, without . and .., of at most "
		    "%d bytes and %d names", FILE_NAME_MAX, FILES_DEPTH_MAX);
	case FILE_FAULT_DIRECTORY:
		return mem_printf("it is a directory that cannot be read, or "
		    "has paths of more than %d bytes or %d names: write one "
		    "archive of it", FILE_NAME_MAX, FILES_DEPTH_MAX);
	case FILE_FAULT_QUOTA:
		return mem_printf("all files together may take %llu MiB, and "
		    "this owner keeps %llu of %.1f MiB: remove some ('caisson "
		    "files remove%s'), or raise CAISSON_FILES_MAX", most,
		    files, bytes, flag);
	case FILE_FAULT_SHARE:
		return mem_printf("this owner keeps %llu files of %.1f MiB, "
		    "and may keep %llu of %.1f MiB beside others: remove some "
		    "('caisson files remove%s'), or let the operator raise "
		    "CAISSON_FILES_MAX, which is %llu MiB ('caisson files "
		    "usage' shows who keeps how much)", files, bytes,
		    (unsigned long long)used->files_most,
		    (double)used->bytes_most / MIB, flag, most);
	case FILE_FAULT_UNKNOWN:
		return mem_printf("there is no file of this name, or not this "
		    "version of it ('caisson files list%s' shows all%s)", flag,
		    strchr(used->owner, '\n') != NULL ? "" : "; one of a "
		    "conversation is in its /data, or named by its address");
	case FILE_FAULT_CROWDED:
		return mem_printf("a conversation has at most %d files: remove "
		    "some in a call, by DELETE over HTTP, or with 'caisson "
		    "files remove%s' and --conversation", FILES_DATA_MAX, flag);
	case FILE_FAULT_ROOM:
		/* The call has more advice: its memory. */
		if (strchr(used->owner, '\n') == NULL)
			return mem_strdup("the box has no room for it: name "
			    "fewer files");
		return mem_printf("the box has no room for it: remove files of "
		    "the conversation ('caisson files remove%s')", flag);
	default:
		return mem_printf("there are %d files, the most there may be: "
		    "remove some ('caisson files remove%s')", FILES_COUNT_MAX,
		    flag);
	}
}

char *
file_fault_text(enum file_fault fault, const struct options *options,
    const struct files_usage *used)
{
	static const char *const texts[FILE_FAULTS] = {
		[FILE_FAULT_SYMBOLIC_LINK] = "it is a symbolic link: write the "
		    "file itself there",
		[FILE_FAULT_FIFO] = "it is a named pipe, and no regular file",
		[FILE_FAULT_SOCKET] = "it is a socket, and no regular file",
		[FILE_FAULT_DEVICE] = "it is a device, and no regular file",
		[FILE_FAULT_LINKED] = "it has more than one name (hard links): "
		    "copy it instead",
		[FILE_FAULT_UNREADABLE] = "it cannot be read: its mode forbids "
		    "that",
		[FILE_FAULT_CHANGED] = "it changed while it was read",
		[FILE_FAULT_DISK] = "the disk of the state directory is full, "
		    "or cannot be written",
		[FILE_FAULT_TAKEN] = "the box already has something of this "
		    "name",
		[FILE_FAULT_FOLDER] = "the directory of files cannot be used: "
		    "the log says why",
		[FILE_FAULT_BUSY] = "it cannot be opened or handed over now: "
		    "try again; the log says why",
		[FILE_FAULT_CLASH] = "a file of the conversation has the name "
		    "of a folder in it: choose another name, or remove that "
		    "file",
		[FILE_FAULT_STAYS] = "it was moved to a file that could not "
		    "be kept",
		[FILE_FAULT_SIGNATURE] = "this link is not valid: it was "
		    "altered, is for another method, or was revoked",
		[FILE_FAULT_EXPIRED] = "this link has expired: ask for another",
		[FILE_FAULT_PORTER] = "the process that copies files was too "
		    "slow or exited early",
	};
	auto_free char *scope =
	    mem_dup(used->owner, strcspn(used->owner, "\n"));
	auto_free char *flag = mem_printf("%s%s", FILES_OWNER_FLAG(scope));

	if ((fault == FILE_FAULT_LARGE || fault == FILE_FAULT_SHARE) &&
	    used->own != 0 && used->own == used->bytes_most)
		return file_fault_own(fault, used, flag);
	return texts[fault] != NULL ? mem_strdup(texts[fault]) :
	    file_fault_limit(fault, options, used, flag);
}
