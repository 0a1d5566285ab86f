/** Gives the simulation a memory store without threads. */
@NullMarked
package io.headgate.store;

import org.jspecify.annotations.NullMarked;
