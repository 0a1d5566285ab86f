/**
 * The book of rules in a database: H2 in a file, or PostgreSQL for many instances.
 *
 * <p>Lives here: the only place that knows SQL, what is stored and in which steps, how a new
 * revision reaches this instance, and the copy that outlives an outage. May not: HTTP, options,
 * what rules mean.
 */
@NullMarked
package io.headgate.server.rules.database;

import org.jspecify.annotations.NullMarked;
