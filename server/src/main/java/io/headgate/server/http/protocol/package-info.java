/**
 * Formats of HTTP messages: JSON bodies, query strings, media types, entity tags and
 * percent-encoding.
 */
@NullMarked
package io.headgate.server.http.protocol;

import org.jspecify.annotations.NullMarked;
