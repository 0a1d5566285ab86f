/**
 * Headgate, embedded. Start at {@link io.headgate.RateLimiter}.
 *
 * <p>Lives here: the façade, the decision it gives and the clock it reads. May not: arithmetic
 * (that is {@code limit}), matching ({@code rule}), state ({@code store}), I/O of any kind.
 */
@NullMarked
package io.headgate;

import org.jspecify.annotations.NullMarked;
