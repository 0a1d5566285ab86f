package io.headgate.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.Decision;
import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RepeatedDenialsTest {
  private static final Request REQUEST = Request.of(Subject.of("user", "42"));
  private static final long SENT = 1_000_000;

  private final RepeatedDenials denials = new RepeatedDenials(Duration.ofSeconds(1));

  private static RemoteResult denial(Duration retryAfter, Source source, String algorithm) {
    var limit = new RemoteLimit("r", "r", algorithm, 1, Optional.of(0L), Optional.empty());
    return new RemoteResult(
        new Decision.Denied(retryAfter),
        Optional.of("r"),
        source,
        List.of("r"),
        List.of(limit),
        Optional.empty(),
        Optional.empty());
  }

  private static long millis(long millis) {
    return SENT + millis * 1_000_000;
  }

  @Test
  void denialEndsExactlyAtItsRetryTime() {
    denials.add(REQUEST, denial(Duration.ofMillis(600), Source.STORE, "token-bucket"), SENT);
    assertThat(denials.find(REQUEST, millis(600) - 1))
        .get()
        .extracting(RemoteResult::decision)
        .isEqualTo(new Decision.Denied(Duration.ofNanos(1)));
    assertThat(denials.find(REQUEST, millis(600))).isEmpty();
    assertThat(denials.size()).isZero();
  }

  @Test
  void longDenialIsRepeatedForTheMaximumAge() {
    denials.add(REQUEST, denial(Duration.ofHours(1), Source.STORE, "fixed-window"), SENT);
    assertThat(denials.find(REQUEST, millis(1_000) - 1))
        .get()
        .extracting(RemoteResult::decision)
        .isEqualTo(new Decision.Denied(Duration.ofHours(1).minusSeconds(1).plusNanos(1)));
    assertThat(denials.find(REQUEST, millis(1_000))).isEmpty();
  }

  @Test
  void endlessDenialStaysEndless() {
    denials.add(REQUEST, denial(Decision.Denied.ENDLESS, Source.STORE, "deny"), SENT);
    assertThat(denials.find(REQUEST, millis(500)))
        .get()
        .extracting(RemoteResult::decision)
        .isEqualTo(new Decision.Denied(Decision.Denied.ENDLESS));
  }

  @Test
  void denialThatOtherEventsMayEndIsNotCached() {
    var second = Duration.ofSeconds(1);
    for (var algorithm : List.of("concurrency", "adaptive-concurrency", "shed", "of-the-future")) {
      denials.add(REQUEST, denial(second, Source.STORE, algorithm), SENT);
    }
    denials.add(REQUEST, denial(second, Source.FALLBACK, "token-bucket"), SENT);
    assertThat(denials.size()).isZero();
  }

  @Test
  void requestOfAnotherCostIsAskedFor() {
    denials.add(REQUEST, denial(Duration.ofSeconds(1), Source.STORE, "token-bucket"), SENT);
    assertThat(denials.find(Request.of(REQUEST.subject(), 0), SENT)).isEmpty();
  }

  @Test
  void oldestDenialIsEvicted() {
    for (int i = 0; i <= RepeatedDenials.MAX_ENTRIES; i++) {
      var request = Request.of(Subject.of("user", "u" + i));
      denials.add(request, denial(Duration.ofSeconds(1), Source.STORE, "token-bucket"), SENT);
    }
    assertThat(denials.size()).isEqualTo(RepeatedDenials.MAX_ENTRIES);
    assertThat(denials.find(Request.of(Subject.of("user", "u0")), SENT)).isEmpty();
    assertThat(denials.find(Request.of(Subject.of("user", "u1")), SENT)).isPresent();
  }
}
