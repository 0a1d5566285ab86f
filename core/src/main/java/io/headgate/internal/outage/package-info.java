/**
 * Decisions while a store is unavailable. {@link io.headgate.internal.outage.CircuitBreakingStore}
 * decorates a store with a circuit breaker and applies each rule's failure policy ({@code
 * on-store-failure}) while the breaker is open.
 *
 * <p>Belongs here: the circuit breaker, fallback decisions, local shares of limits, recovery
 * probes, and reports of local admissions. Does not belong here: stores themselves ({@link
 * io.headgate.store}), the definition of the policies ({@link io.headgate.rule.FailurePolicy}), and
 * network access.
 */
@NullMarked
package io.headgate.internal.outage;

import org.jspecify.annotations.NullMarked;
