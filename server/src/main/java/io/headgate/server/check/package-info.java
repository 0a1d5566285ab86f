/**
 * Decides the checks of clients, independently of their protocol: calls the rate limiter without
 * blocking an event loop, applies deadlines, notifies the listener of decisions, and records them
 * in traces.
 *
 * <p>The handlers of HTTP and gRPC translate their messages to calls of {@code CheckService}, and
 * its results to responses. This package must not depend on either.
 */
@NullMarked
package io.headgate.server.check;

import org.jspecify.annotations.NullMarked;
