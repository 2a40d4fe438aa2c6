/*
 * Why a file is not stored, not written into a box, or not found: codes that
 * porter, files and supervisor exchange. The supervisor holds the sentences for
 * them.
 */
#ifndef COMMON_FILE_FAULT_H
#define COMMON_FILE_FAULT_H

enum file_fault {
	FILE_FAULT_NONE,
	/* Faults of the offered entry: it is no regular file, but … */
	FILE_FAULT_DIRECTORY, /* whose files cannot be listed, or be named */
	FILE_FAULT_SYMBOLIC_LINK,
	FILE_FAULT_FIFO,
	FILE_FAULT_SOCKET,
	FILE_FAULT_DEVICE,
	FILE_FAULT_LINKED, /* it has more than one name */
	FILE_FAULT_NAME,   /* its name is not text, or has control characters */
	FILE_FAULT_UNREADABLE,
	FILE_FAULT_CHANGED, /* it changed while it was read */
	/* Faults of the storage */
	FILE_FAULT_LARGE, /* it exceeds the limit of all files together */
	FILE_FAULT_QUOTA, /* the bytes of all files together are used up */
	FILE_FAULT_COUNT, /* the maximum number of files is reached */
	FILE_FAULT_SHARE, /* what its owner may keep beside others is used up */
	FILE_FAULT_DISK,  /* the disk is full, or writing failed */
	/* Faults of a request */
	FILE_FAULT_UNKNOWN, /* the file or the version does not exist */
	FILE_FAULT_TAKEN,   /* the box already has a file of this name */
	FILE_FAULT_ROOM,    /* the box has no room for it */
	FILE_FAULT_FOLDER,  /* the directory of files cannot be used */
	FILE_FAULT_BUSY,    /* it cannot be opened or passed on now */
	FILE_FAULT_PORTER,  /* the porter ended before it was done */
	FILE_FAULT_CROWDED, /* a conversation has more files than fit */
	FILE_FAULT_CLASH,   /* a file and a folder would have one name */
	FILE_FAULT_STAYS,   /* it is not removed, as others were not stored */
	/* Faults of a link */
	FILE_FAULT_SIGNATURE, /* it is not the one that was signed */
	FILE_FAULT_EXPIRED,
	FILE_FAULTS
};

#endif
