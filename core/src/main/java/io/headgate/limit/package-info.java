/**
 * The rate limiting algorithms as pure functions. Start with {@link io.headgate.limit.TokenBucket}.
 *
 * <p>A {@link io.headgate.limit.Limit} maps the {@link io.headgate.limit.State} of a counter, the
 * time and a cost to the next state and an {@link io.headgate.limit.Outcome}. Times are
 * microseconds since the epoch. Every number is an integer below 2^53, so that the same function in
 * Lua computes the same numbers.
 *
 * <p>{@link io.headgate.limit.HeldState} is the state of a counter of which several instances hold
 * permits.
 *
 * <p>Contains the seven algorithms with their states and outcomes, and the limits without a state,
 * {@link io.headgate.limit.Deny}, {@link io.headgate.limit.Shed} and {@link
 * io.headgate.limit.Unlimited}. Has no clocks, keys, locks, logs, stores or rules. Of the other
 * packages of Headgate it imports {@code io.headgate.load}, whose controllers compute adaptive
 * limits, and the keyed hash.
 */
@NullMarked
package io.headgate.limit;

import org.jspecify.annotations.NullMarked;
