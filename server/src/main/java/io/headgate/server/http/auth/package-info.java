/** Protection against cross-site requests. Tokens are handled by {@link io.headgate.server.api}. */
@NullMarked
package io.headgate.server.http.auth;

import org.jspecify.annotations.NullMarked;
