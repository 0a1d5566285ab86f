package io.headgate.server.http.check;

import io.headgate.rule.Request;
import io.headgate.rule.Subject;

/**
 * A parsed check.
 *
 * @param waits whether to answer when the delay has passed instead of reporting it
 * @param rule the id of the rule; empty if the endpoint has no such field
 */
record CheckRequest(Request request, boolean waits, String rule) {
  Subject subject() {
    return request.subject();
  }
}
