/**
 * Bounded responses of HTTP servers.
 *
 * <p>Belongs here: what every HTTP client of Headgate has in common. It is one class so far, shared
 * by the client, the command line and the stores of regions. Does not belong here: requests, URLs,
 * retries, error messages. Depends on no other package of Headgate.
 */
@NullMarked
package io.headgate.internal.http;

import org.jspecify.annotations.NullMarked;
