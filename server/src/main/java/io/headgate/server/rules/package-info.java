/**
 * Where the service's rules come from: a file that is followed, or the example; and the book in
 * which they are kept, how two states of it differ, and what that means for callers.
 *
 * <p>May not: the format of rules (that is {@code io.headgate.rulefile}), what they mean.
 */
@NullMarked
package io.headgate.server.rules;

import org.jspecify.annotations.NullMarked;
