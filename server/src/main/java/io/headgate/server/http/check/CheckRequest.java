package io.headgate.server.http.check;

import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import java.time.Duration;
import java.util.Optional;

/**
 * A parsed check.
 *
 * @param waits whether to answer when the delay has passed instead of reporting it
 * @param rule the id of the rule; empty if the endpoint has no such field
 * @param ttl the time to live of a reservation; empty if it is not given
 * @param used the checks of a lease that were made
 * @param checks the checks that a client wishes to lease; 0 if it leaves the number to the service
 */
record CheckRequest(
    Request request, boolean waits, String rule, Optional<Duration> ttl, long used, long checks) {
  Subject subject() {
    return request.subject();
  }
}
