/** Runs the background work of consistency modes by hand. */
@NullMarked
package io.headgate.consistency;

import org.jspecify.annotations.NullMarked;
