/** Gives the simulated Redis script access to the states of limits. */
@NullMarked
package io.headgate.limit;

import org.jspecify.annotations.NullMarked;
