/**
 * Keeps an HTTP client below the limits of the services that it calls. The entry point is {@link
 * io.headgate.client.outbound.LimitedHttpClient}.
 */
@NullMarked
package io.headgate.client.outbound;

import org.jspecify.annotations.NullMarked;
