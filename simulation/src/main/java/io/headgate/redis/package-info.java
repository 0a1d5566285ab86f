/** The Redis store over a simulated network. */
@NullMarked
package io.headgate.redis;

import org.jspecify.annotations.NullMarked;
