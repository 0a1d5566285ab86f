package io.headgate.server.watch;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.RateLimiter;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class WitnessTest {
  private static void tell(Witness witness) {
    var request = Request.of(Subject.of("user:1"));
    try (var limiter = RateLimiter.inMemory()) {
      witness.decided(request, limiter.decide(request), 7);
    }
  }

  @Test
  void severalAreToldInTheirOrder() {
    var heard = new ArrayList<String>();
    Witness first =
        (request, verdict, nanos) -> heard.add("first " + request.subject() + " " + nanos);
    Witness second = (request, verdict, nanos) -> heard.add("second " + verdict.isAllowed());
    tell(Witness.all(List.of(first, Witness.NONE, second)));
    assertThat(heard).containsExactly("first user:1 7", "second true");
  }

  @Test
  void oneByItselfIsNotWrapped() {
    Witness only = (request, verdict, nanos) -> {};
    assertThat(Witness.all(List.of(Witness.NONE, only))).isSameAs(only);
    assertThat(Witness.all(List.of())).isSameAs(Witness.NONE);
  }
}
