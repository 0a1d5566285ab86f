/**
 * Regions: decisions near the callers although the counters of all regions are shared. Start at
 * {@link io.headgate.internal.region.RegionStore}.
 *
 * <p>Each counter that regions share has one state at home, of which an instance holds permits for
 * its region ({@link io.headgate.internal.region.RegionShare}). {@link
 * io.headgate.internal.region.RegionShares} acquires, reports and returns them in the background.
 *
 * <p>Belongs here: the shares of this instance, and how a plan is decided by the regional store, by
 * shares and at home. Does not belong here: the arithmetic of holds ({@link io.headgate.limit}),
 * and network access.
 */
@NullMarked
package io.headgate.internal.region;

import org.jspecify.annotations.NullMarked;
