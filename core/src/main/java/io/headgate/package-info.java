/**
 * The public API of the embedded rate limiter. The entry point is {@link io.headgate.RateLimiter}.
 *
 * <p>Contains the facade and the decisions and reports that it returns. The arithmetic of limits is
 * in {@code io.headgate.limit}, rules and matching in {@code io.headgate.rule}, state in {@code
 * io.headgate.store}. This package does no I/O.
 */
@NullMarked
package io.headgate;

import org.jspecify.annotations.NullMarked;
