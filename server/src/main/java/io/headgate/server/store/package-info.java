/**
 * Where the service keeps its states.
 *
 * <p>Lives here: opening a store that is elsewhere, what the log says of its coming and going, and
 * what the service may know of it. May not: HTTP, options, limits.
 */
@NullMarked
package io.headgate.server.store;

import org.jspecify.annotations.NullMarked;
