/**
 * TLS certificates and keys: reading them from files and checking that they match. Independent of
 * the server that uses them.
 */
@NullMarked
package io.headgate.server.tls;

import org.jspecify.annotations.NullMarked;
