/**
 * Makes what the documentation shows: pictures and tables, computed by the real limits.
 *
 * <p>Lives here: what is drawn, and how. May not: anything that a user of Headgate needs.
 */
@NullMarked
package io.headgate.docs;

import org.jspecify.annotations.NullMarked;
