/**
 * The rule repository: the snapshot in force, its revisions, the difference between revisions and
 * its impact on callers. Backed by memory, a polled file, or the example rules; the database
 * backend is in {@code database}.
 *
 * <p>Does not parse rules (that is {@code io.headgate.rulefile}) or evaluate them.
 */
@NullMarked
package io.headgate.server.rules;

import org.jspecify.annotations.NullMarked;
