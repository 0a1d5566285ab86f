/**
 * The book of rules: what is in force, its revisions, how two of them differ and what that means
 * for callers, and where it comes from: memory, a file that is followed, or the example. (In a
 * database: {@code database}.)
 *
 * <p>May not: the format of rules (that is {@code io.headgate.rulefile}), what they mean.
 */
@NullMarked
package io.headgate.server.rules;

import org.jspecify.annotations.NullMarked;
