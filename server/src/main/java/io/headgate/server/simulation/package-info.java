/**
 * What would happen if: made traffic against limits ({@link
 * io.headgate.server.simulation.Playground}), and real traffic against other rules ({@link
 * io.headgate.server.simulation.Comparison}).
 *
 * <p>Lives here: traffic that is made, traffic that was heard, and what the real arithmetic says to
 * it by a clock that is turned by hand. May not: the state that is in force, the time of day, HTTP,
 * files.
 */
@NullMarked
package io.headgate.server.simulation;

import org.jspecify.annotations.NullMarked;
