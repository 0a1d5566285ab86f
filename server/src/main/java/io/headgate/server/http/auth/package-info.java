/**
 * Protection against requests from pages of other sites. Tokens are in {@link
 * io.headgate.server.api}.
 */
@NullMarked
package io.headgate.server.http.auth;

import org.jspecify.annotations.NullMarked;
