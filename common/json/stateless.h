/*
 * What a client says in each request in the version of MCP without sessions:
 * members of its _meta. Used by the broker and the connector.
 */
#ifndef COMMON_STATELESS_H
#define COMMON_STATELESS_H

#define STATELESS_VERSION "2026-07-28"

/* Its prefix is that of the protocol. */
#define STATELESS_KEY "io.modelcontextprotocol/"

#define STATELESS_META \
	"\"" STATELESS_KEY "protocolVersion\":\"" STATELESS_VERSION "\"," \
	"\"" STATELESS_KEY "clientCapabilities\":{}," \
	"\"" STATELESS_KEY "clientInfo\":{\"name\":\"caisson\"," \
	"\"version\":\"" CAISSON_VERSION "\"}"

#define STATELESS_INFO STATELESS_KEY "serverInfo"

#endif
