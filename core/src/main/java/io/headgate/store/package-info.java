/**
 * The {@link io.headgate.store.Store} contract, and {@link io.headgate.store.MemoryStore}, which
 * keeps states in the memory of this JVM. A store evaluates a {@link io.headgate.rule.Plan} against
 * the states of its counters, atomically, with the outcomes that {@code Plan.step} defines.
 *
 * <p>Belongs here: the contract, its exceptions, and the storage, eviction and sweeping of cells.
 * Does not belong here: the arithmetic of limits ({@link io.headgate.limit}), the matching of rules
 * ({@link io.headgate.rule}), outages ({@code io.headgate.internal.outage}), local decisions
 * ({@code io.headgate.internal.consistency}), and network access.
 */
@NullMarked
package io.headgate.store;

import org.jspecify.annotations.NullMarked;
