package io.headgate.server.stats;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DecisionListenerTest {
  private static void report(DecisionListener listener) {
    var request = Request.of(Subject.of("user:1"));
    try (var limiter = RateLimiter.inMemory()) {
      listener.decided(request, limiter.checkForResult(request), 7);
    }
  }

  @Test
  void listenersAreCalledInOrder() {
    var received = new ArrayList<String>();
    DecisionListener first =
        (request, result, nanos) -> received.add("first " + request.subject() + " " + nanos);
    DecisionListener second =
        (request, result, nanos) -> received.add("second " + result.isAllowed());
    report(DecisionListener.all(List.of(first, DecisionListener.NONE, second)));
    assertThat(received).containsExactly("first user:1 7", "second true");
  }

  @Test
  void singleListenerIsNotWrapped() {
    DecisionListener only = (request, result, nanos) -> {};
    assertThat(DecisionListener.all(List.of(DecisionListener.NONE, only))).isSameAs(only);
    assertThat(DecisionListener.all(List.of())).isSameAs(DecisionListener.NONE);
  }
}
