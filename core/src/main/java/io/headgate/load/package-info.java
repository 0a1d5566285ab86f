/**
 * Controllers that follow the load, as pure functions. Start with {@link
 * io.headgate.load.ConcurrencyController} for a limit of requests in flight, and with {@link
 * io.headgate.load.ShedController} for the share of the traffic to drop.
 *
 * <p>A controller maps its state, the time and a measurement to the next state. Times are
 * microseconds since the epoch. A state has a bounded number of doubles and the arithmetic uses
 * only the four operations, square roots and comparisons, so that the same function in Lua computes
 * the same numbers.
 *
 * <p>Has no clocks, keys, locks, logs, stores or rules, and imports no other package of Headgate.
 */
@NullMarked
package io.headgate.load;

import org.jspecify.annotations.NullMarked;
