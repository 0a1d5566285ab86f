/**
 * The keyed hash for tables whose keys callers choose.
 *
 * <p>Belongs here: hashing under a secret key. Does not belong here: the tables themselves. Depends
 * on no other package of Headgate.
 */
@NullMarked
package io.headgate.internal.hash;

import org.jspecify.annotations.NullMarked;
