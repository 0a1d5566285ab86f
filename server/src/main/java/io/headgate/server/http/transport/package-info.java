/**
 * Connections and requests of HTTP: limits on connections, memory and time, the exchange of one
 * request, routing, and event streams. Contains no endpoints.
 */
@NullMarked
package io.headgate.server.http.transport;

import org.jspecify.annotations.NullMarked;
