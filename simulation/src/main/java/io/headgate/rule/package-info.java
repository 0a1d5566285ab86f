/** Builds plans for the simulated Redis script. */
@NullMarked
package io.headgate.rule;

import org.jspecify.annotations.NullMarked;
