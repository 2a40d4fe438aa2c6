/*
 * What a client says in each request in the version of MCP without sessions:
 * members of its _meta. Used by the broker and the connector.
 */
#ifndef COMMON_STATELESS_H
#define COMMON_STATELESS_H

#define STATELESS_VERSION "2026-07-28"

/* Its prefix is that of the protocol. */
#define STATELESS_KEY "io.modelcontextprotocol/"

/* capabilities: what the client can be asked, as JSON. */
#define STATELESS_META_OF(capabilities) \
	"\"" STATELESS_KEY "protocolVersion\":\"" STATELESS_VERSION "\"," \
	"\"" STATELESS_KEY "clientCapabilities\":" capabilities "," \
	"\"" STATELESS_KEY "clientInfo\":{\"name\":\"caisson\"," \
	"\"version\":\"" CAISSON_VERSION "\"}"

#define STATELESS_META STATELESS_META_OF("{}")

#define STATELESS_INFO STATELESS_KEY "serverInfo"

#endif
