/**
 * Limits as arithmetic. Start at {@link io.headgate.limit.TokenBucket}: it is the whole idea.
 *
 * <p>A {@link io.headgate.limit.Limit} is one pure function: given what is known of a caller (a
 * {@link io.headgate.limit.State}), the time and a cost, it gives the next state and an {@link
 * io.headgate.limit.Outcome}. Times are microseconds since the epoch, every number is an integer
 * below 2^53, so that the same function written in Lua computes the same numbers.
 *
 * <p>{@link io.headgate.limit.HeldState} is what several instances share of a counter when each
 * decides by itself.
 *
 * <p>Lives here: the six algorithms, their states and outcomes. May not: clocks, keys, locks, logs,
 * stores, rules. This package imports nothing of Headgate.
 */
@NullMarked
package io.headgate.limit;

import org.jspecify.annotations.NullMarked;
