/**
 * Sizing: computes the keys, memory, CPU and network that rules need for a number of callers, from
 * measured figures, and prints the result with advice.
 *
 * <p>Must not contain options.
 */
@NullMarked
package io.headgate.server.cli.size;

import org.jspecify.annotations.NullMarked;
