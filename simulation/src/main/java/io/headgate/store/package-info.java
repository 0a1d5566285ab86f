/** Runs the circuit breaker's probes by hand. */
@NullMarked
package io.headgate.store;

import org.jspecify.annotations.NullMarked;
