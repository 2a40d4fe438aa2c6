/*
 * Why a file is not kept, not given to a box, or not found: what porter, files
 * and supervisor must agree on. Used by these; the sentences are the
 * supervisor's.
 */
#ifndef COMMON_FILE_FAULT_H
#define COMMON_FILE_FAULT_H

enum file_fault {
	FILE_FAULT_NONE,
	/* Of what lies there: it is no regular file, but … */
	FILE_FAULT_DIRECTORY,
	FILE_FAULT_SYMBOLIC_LINK,
	FILE_FAULT_FIFO,
	FILE_FAULT_SOCKET,
	FILE_FAULT_DEVICE,
	FILE_FAULT_LINKED, /* it has more than one name */
	FILE_FAULT_NAME,   /* the name is no text, or has control characters */
	FILE_FAULT_UNREADABLE,
	FILE_FAULT_CHANGED, /* it changed while it was read */
	/* Of where it is kept */
	FILE_FAULT_LARGE, /* larger than all files together may be */
	FILE_FAULT_QUOTA, /* the bytes of all files together are used up */
	FILE_FAULT_COUNT, /* there are as many files as there may be */
	FILE_FAULT_DISK,  /* the disk is full, or writing failed */
	/* Of a request */
	FILE_FAULT_UNKNOWN, /* there is no such file, or no such version */
	FILE_FAULT_TAKEN,   /* the box has something by this name already */
	FILE_FAULT_ROOM,    /* the box has no room for it */
	FILE_FAULT_FOLDER,  /* the directory of files cannot be used */
	FILE_FAULT_BUSY,    /* it cannot be opened or handed over now */
	FILE_FAULT_PORTER,  /* what carries them ended before it was done */
	FILE_FAULTS
};

#endif
