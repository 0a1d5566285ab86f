/**
 * Traces: what became of single requests, for those who follow them from service to service.
 *
 * <p>Whoever takes requests begins a {@code Trace} for each that decides, tells it what was asked
 * and decided, and ends it once. Without a collector to send to there is {@code Tracing.OFF}, and
 * every request has the same {@code Trace.NONE}, which does nothing.
 *
 * <p>Lives here: everything that knows of OpenTelemetry. May not: HTTP, options; change a decision,
 * or hold it up; say who the caller is.
 */
@NullMarked
package io.headgate.server.trace;

import org.jspecify.annotations.NullMarked;
