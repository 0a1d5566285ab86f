/**
 * Access logs as requests that came. Start at {@link
 * io.headgate.server.simulation.accesslog.AccessLog}.
 *
 * <p>Lives here: lines, the formats they have, and which part of a line is which attribute. May
 * not: decide anything, keep more than the line at hand. A log may have a billion lines, so what is
 * done for each is done on its bytes, and a text is made only of what rules look at.
 */
@NullMarked
package io.headgate.server.simulation.accesslog;

import org.jspecify.annotations.NullMarked;
