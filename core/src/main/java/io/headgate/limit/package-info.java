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
 * <p>Contains the six algorithms with their states and outcomes, and the two limits without a
 * state, {@link io.headgate.limit.Deny} and {@link io.headgate.limit.Unlimited}. Has no clocks,
 * keys, locks, logs, stores or rules, and imports no other package of Headgate.
 */
@NullMarked
package io.headgate.limit;

import org.jspecify.annotations.NullMarked;
