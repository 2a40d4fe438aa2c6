/*
 * The sentences of the catalogue, expanded from ipc_messages.def: for the
 * manual and the tests. Included by no process that receives messages.
 */
#ifndef COMMON_IPC_DOC_H
#define COMMON_IPC_DOC_H

#include "ipc.h"

struct ipc_doc {
	const char *message;
	const char *fields[IPC_FIELDS_MAX + 1]; /* closed by NULL */
};

static const struct ipc_doc ipc_docs[IPC_TYPES] = {
#define IPC_MESSAGE(NAME, name, FROM, TO, PHASES, NEXT, doc)                   \
	[IPC_##NAME] = { doc, {
#define IPC_UINT(name, field, least, most, doc) doc,
#define IPC_TEXT(name, field, least, most, doc) doc,
#define IPC_BYTES(name, field, least, most, doc) doc,
#define IPC_BLOB(name, field, most, doc) doc,
#define IPC_FD(name, field, KIND, doc) doc,
#define IPC_OPTIONAL_FD(name, field, KIND, doc) doc,
#define IPC_END(name) NULL } },
#include "../ipc_messages.def"
};

#endif
