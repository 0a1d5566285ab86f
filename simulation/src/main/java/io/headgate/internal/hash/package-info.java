/** Fixes the key of the keyed hash, so that simulations are reproducible. */
@NullMarked
package io.headgate.internal.hash;

import org.jspecify.annotations.NullMarked;
