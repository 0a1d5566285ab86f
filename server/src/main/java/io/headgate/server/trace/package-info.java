/**
 * Distributed tracing with OpenTelemetry.
 *
 * <p>The HTTP and gRPC handlers start a {@code Trace} for each check, record store calls and
 * decisions in it, and end it once. Without a collector, {@code Tracing.OFF} gives every request
 * the shared {@code Trace.NONE}, which does nothing.
 *
 * <p>The only package that depends on OpenTelemetry. Must not depend on HTTP or options, change or
 * delay a decision, or record the identity of a caller.
 */
@NullMarked
package io.headgate.server.trace;

import org.jspecify.annotations.NullMarked;
