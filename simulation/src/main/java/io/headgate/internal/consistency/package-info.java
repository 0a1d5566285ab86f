/** Gives the simulation access to the background work of the consistency modes. */
@NullMarked
package io.headgate.internal.consistency;

import org.jspecify.annotations.NullMarked;
