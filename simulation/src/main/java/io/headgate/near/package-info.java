/** Runs the background work of consistency modes by hand. */
@NullMarked
package io.headgate.near;

import org.jspecify.annotations.NullMarked;
