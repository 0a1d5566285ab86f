/**
 * Connections and requests of HTTP: limits on connections, memory and time, the exchange of one
 * request, routes, and event streams. No endpoint is here.
 */
@NullMarked
package io.headgate.server.http.transport;

import org.jspecify.annotations.NullMarked;
