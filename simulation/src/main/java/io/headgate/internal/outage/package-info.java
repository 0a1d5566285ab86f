/** Runs the circuit breaker's probes and reports in virtual time. */
@NullMarked
package io.headgate.internal.outage;

import org.jspecify.annotations.NullMarked;
