/**
 * The endpoints that decide requests: check, peek, slots, explain, reset and the forward-auth
 * endpoint for proxies.
 */
@NullMarked
package io.headgate.server.http.check;

import org.jspecify.annotations.NullMarked;
