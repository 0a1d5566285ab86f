/** Access to states for the simulated Redis script. */
@NullMarked
package io.headgate.limit;

import org.jspecify.annotations.NullMarked;
