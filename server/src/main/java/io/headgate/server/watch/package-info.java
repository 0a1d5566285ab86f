/**
 * Who looks on while decisions are made.
 *
 * <p>Lives here: how they are told ({@code DecisionListener}), and those who watch for people to see. May
 * not: HTTP, options; change a decision, or hold it up.
 */
@NullMarked
package io.headgate.server.watch;

import org.jspecify.annotations.NullMarked;
import io.headgate.server.stats.DecisionListener;
