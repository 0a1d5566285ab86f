package io.headgate.server.http.check;

import io.headgate.rule.Request;
import io.headgate.rule.Subject;

/**
 * A question as it came.
 *
 * @param waits whether to answer when the slot comes rather than say when it will
 * @param rule the rule it is about; empty where the endpoint takes none
 */
record CheckRequest(Request request, boolean waits, String rule) {
  Subject subject() {
    return request.subject();
  }
}
