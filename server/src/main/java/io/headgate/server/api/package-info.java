/**
 * What HTTP and gRPC share: access control, client addresses and trusted proxies, rate-limit
 * headers, readiness, and the syntax of texts from clients. Depends on neither protocol.
 */
@NullMarked
package io.headgate.server.api;

import org.jspecify.annotations.NullMarked;
