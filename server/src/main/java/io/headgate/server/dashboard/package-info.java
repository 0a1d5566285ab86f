/**
 * The files of the dashboard, as the build has put them on the class path.
 *
 * <p>Lives here: reading them, once, and what is known of each. May not: answer requests, which is
 * HTTP's business, or know what the pages show.
 */
@NullMarked
package io.headgate.server.dashboard;

import org.jspecify.annotations.NullMarked;
