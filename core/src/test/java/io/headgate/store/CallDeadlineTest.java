package io.headgate.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CallDeadlineTest {
  private static final Duration LENGTH = Duration.ofMillis(15);

  private final CallDeadline deadline = new CallDeadline(LENGTH, true);
  private final List<String> ended = new ArrayList<>();

  @Test
  void requestsOfTheCallEndOnceAtItsDeadline() {
    deadline.onExpiry(() -> ended.add("first"));
    deadline.onExpiry(() -> ended.add("second"));
    assertThat(ended).isEmpty();
    deadline.expire();
    deadline.expire();
    assertThat(ended).containsExactly("first", "second");
  }

  @Test
  void requestThatIsSubmittedAfterTheDeadlineEndsAtOnce() {
    deadline.expire();
    deadline.onExpiry(() -> ended.add("late"));
    assertThat(ended).containsExactly("late");
  }

  @Test
  void deadlineAppliesToTheRequestsOfItsStepOnly() {
    assertThat(CallDeadline.current()).isNull();
    var inner =
        CallDeadline.within(
            deadline,
            () -> {
              assertThat(CallDeadline.current()).isSameAs(deadline);
              var none = CallDeadline.within(null, CallDeadline::current);
              assertThat(CallDeadline.current()).isSameAs(deadline);
              return none == null;
            });
    assertThat(inner).isTrue();
    assertThat(CallDeadline.current()).isNull();
  }

  @Test
  void uncountedDeadlinePassesWithTheCountedOne() {
    var uncounted = deadline.uncounted();
    assertThat(uncounted.isCounted()).isFalse();
    assertThat(uncounted.length()).isEqualTo(LENGTH);
    uncounted.onExpiry(() -> ended.add("home"));
    deadline.expire();
    assertThat(ended).containsExactly("home");
  }
}
