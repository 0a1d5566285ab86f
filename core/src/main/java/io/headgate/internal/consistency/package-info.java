/**
 * The consistency modes: decisions that an instance makes locally although the state is shared.
 * Start at {@link io.headgate.internal.consistency.ConsistencyStore}.
 *
 * <p>A leased rule spends permits that the store holds for this instance ({@link
 * io.headgate.internal.consistency.PermitLease}). It never exceeds the limit; held permits that are
 * not used are unavailable to other instances. An eventual rule counts in a local copy and reports
 * to the store ({@link io.headgate.internal.consistency.LocalCopy}). It holds no permits, and
 * over-admits by at most the traffic of one sync interval. A caller over its limit is denied
 * locally until its retry time, under a strict rule too ({@link
 * io.headgate.internal.consistency.DenialCache}).
 *
 * <p>Belongs here: the local state of an instance, its size, and its synchronization with the
 * store. Does not belong here: the arithmetic of limits ({@link io.headgate.limit}), and network
 * access.
 */
@NullMarked
package io.headgate.internal.consistency;

import org.jspecify.annotations.NullMarked;
