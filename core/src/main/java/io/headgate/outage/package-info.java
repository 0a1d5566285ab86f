/**
 * The circuit breaker around a store, and the failure policies that decide while it is open:
 * fallback decisions, local shares, recovery probes, and reports of local admissions. Stores
 * themselves are in {@link io.headgate.store}.
 */
@NullMarked
package io.headgate.outage;

import org.jspecify.annotations.NullMarked;
