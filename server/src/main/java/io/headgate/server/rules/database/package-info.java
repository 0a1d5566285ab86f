/**
 * The rule repository in a database: H2 in a file, or PostgreSQL for several instances.
 *
 * <p>The only package that contains SQL. It defines the stored form and the transactions,
 * distributes new revisions to this instance, and maintains the snapshot file used while the
 * database is unavailable. Does not depend on HTTP or options, and does not evaluate rules.
 */
@NullMarked
package io.headgate.server.rules.database;

import org.jspecify.annotations.NullMarked;
