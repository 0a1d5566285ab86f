/**
 * Certificates and keys.
 *
 * <p>Lives here: reading them from files, and whether they can be used together. May not: know what
 * is served with them.
 */
@NullMarked
package io.headgate.server.tls;

import org.jspecify.annotations.NullMarked;
