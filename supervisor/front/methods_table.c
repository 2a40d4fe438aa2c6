/* The table of MCP methods and their handlers. */
#include "methods.h"

const struct methods_row methods_table[] = {
#define METHOD(name, handle, era, early) { name, handle, era, early },
#include "rpc/methods.def"
};

const size_t methods_count = sizeof(methods_table) / sizeof(methods_table[0]);
