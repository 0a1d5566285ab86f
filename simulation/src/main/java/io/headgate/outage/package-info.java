/** Runs the circuit breaker's probes and reports in virtual time. */
@NullMarked
package io.headgate.outage;

import org.jspecify.annotations.NullMarked;
