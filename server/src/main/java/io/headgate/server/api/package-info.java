/**
 * Types shared by the HTTP and gRPC APIs: access control, client addresses and trusted proxies,
 * rate-limit headers, readiness, and the syntax of text from clients. Depends on Vert.x for
 * connections, but not on the endpoints of either protocol.
 */
@NullMarked
package io.headgate.server.api;

import org.jspecify.annotations.NullMarked;
