/**
 * The service's view of its store: opening a remote store, logging its outages, and reporting its
 * properties. Must not depend on HTTP, options or limits.
 */
@NullMarked
package io.headgate.server.store;

import org.jspecify.annotations.NullMarked;
