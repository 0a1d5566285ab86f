/** The Redis script as the simulated servers run it. */
@NullMarked
package io.headgate.redis.internal.script;

import org.jspecify.annotations.NullMarked;
