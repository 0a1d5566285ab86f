/**
 * Load shedding on one instance: which requests are dropped, and the exchange of signals and levels
 * with the store. Start at {@link io.headgate.internal.shedding.Shedder}.
 *
 * <p>A request is decided by the levels that this instance has, without a call to the store.
 * Belongs here: the levels in use, the mix of the traffic, the selection of callers, and the thread
 * that exchanges signals. Does not belong here: the controller ({@link io.headgate.load}), and
 * network access.
 */
@NullMarked
package io.headgate.internal.shedding;

import org.jspecify.annotations.NullMarked;
