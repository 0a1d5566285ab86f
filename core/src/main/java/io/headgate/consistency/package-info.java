/**
 * Decisions that are made here although the state is shared: what {@code consistency} means. Start
 * at {@link io.headgate.consistency.ConsistencyStore}.
 *
 * <p>A leased rule spends permits that the store holds for this instance ({@link
 * io.headgate.consistency.PermitLease}): never more than the limit in all, at the price of those
 * held and not used. An eventual rule counts here and reports ({@link
 * io.headgate.consistency.LocalCopy}): nothing is held, at the price of what others spend between
 * two reports.
 *
 * <p>Lives here: what an instance keeps in order not to ask, how much that is, and when it asks.
 * May not: the arithmetic of limits, anything that knows a network.
 */
@NullMarked
package io.headgate.consistency;

import org.jspecify.annotations.NullMarked;
