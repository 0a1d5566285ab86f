/**
 * Types shared by the HTTP and gRPC APIs: access control, peer addresses, rate-limit headers,
 * readiness, and JSON. Depends on Vert.x for connections, but not on the endpoints of either
 * protocol.
 */
@NullMarked
package io.headgate.server.api;

import org.jspecify.annotations.NullMarked;
