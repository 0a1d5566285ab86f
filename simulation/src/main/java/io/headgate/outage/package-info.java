/** Runs the circuit breaker's probes by hand. */
@NullMarked
package io.headgate.outage;

import org.jspecify.annotations.NullMarked;
