package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.headgate.load.CallOutcome;
import io.headgate.load.CompletedCall;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class StateCodecTest {
  private static final Rate RATE = Rate.of(40, Duration.ofSeconds(5));

  static List<Limit> limits() {
    return List.of(
        TokenBucket.of(RATE),
        LeakyBucket.of(RATE).withQueue(10),
        FixedWindow.of(RATE),
        SlidingWindow.of(RATE),
        RollingWindow.of(RATE),
        Concurrency.of(6).withLease(Duration.ofSeconds(2)),
        new AdaptiveConcurrency(2, 20, 4, Duration.ofSeconds(2)),
        new FairShare(TokenBucket.of(RATE), FairSharing.among("tenant")));
  }

  /** Each state is encoded and decoded before the next request. */
  @ParameterizedTest
  @MethodSource("limits")
  void decodedStateHasTheSameOutcomes(Limit limit) {
    var random = new Random(42);
    var original = State.FRESH;
    var decoded = State.FRESH;
    long now = 1_700_000_000_000_000L;
    for (int i = 0; i < 3_000; i++) {
      now += random.nextInt(4) == 0 ? random.nextInt(2_000_000) : random.nextInt(20_000);
      long cost = random.nextInt(4);
      var share = new Share("t" + random.nextInt(50), 1 + random.nextInt(4));
      var expected = step(limit, original, now, cost, i, share);
      var actual = step(limit, decoded, now, cost, i, share);
      assertThat(actual.outcome()).isEqualTo(expected.outcome());
      original = release(limit, expected.state(), now, random.nextInt(i + 1));
      decoded = StateCodec.decode(StateCodec.encode(original));
      assertThat(decoded.freshAt()).isEqualTo(original.freshAt());
      assertThat(decoded.used(now)).isEqualTo(original.used(now));
    }
  }

  private static Step step(
      Limit limit, State state, long now, long cost, long holder, Share share) {
    return switch (limit) {
      case SlotLimit slots -> slots.step(state, now, cost, holder);
      case FairShare fair -> fair.step(state, now, cost, share);
      case Holdable any -> any.step(state, now, cost);
      case LeakyBucket any -> any.step(state, now, cost);
      case RollingWindow any -> any.step(state, now, cost);
      case Stateless any -> any.step(state, now, cost);
    };
  }

  private static State release(Limit limit, State state, long now, long holder) {
    var call = new CompletedCall(CallOutcome.SUCCESS, 1_000 + holder);
    return limit instanceof SlotLimit slots ? slots.release(state, now, holder, call) : state;
  }

  @Test
  void holdsAreKept() {
    var limit = TokenBucket.of(RATE);
    var held =
        new HoldRequest(7, 1, HoldRequest.Usage.NONE, 3, 10, 1_000_000)
            .from(limit, State.FRESH, 1_000)
            .state();
    assertThat(held).isInstanceOf(HeldState.class);
    assertThat(StateCodec.decode(StateCodec.encode(held))).isEqualTo(held);
  }

  @Test
  void everyTruncationIsRefused() {
    for (var limit : limits()) {
      var bytes = StateCodec.encode(limit.step(State.FRESH, 1_000_000, 3).state());
      for (int length = 0; length < bytes.length; length++) {
        var part = Arrays.copyOf(bytes, length);
        assertThatIllegalArgumentException().isThrownBy(() -> StateCodec.decode(part));
      }
    }
  }

  /** Changed bytes are a state or are refused; they never cause another failure. */
  @Test
  void changedBytesCauseNoOtherFailure() {
    var random = new Random(7);
    for (var limit : limits()) {
      var bytes = StateCodec.encode(limit.step(State.FRESH, 1_000_000, 3).state());
      for (int i = 0; i < 2_000; i++) {
        var changed = bytes.clone();
        for (int j = 0; j <= i % 3; j++) {
          changed[random.nextInt(changed.length)] = (byte) random.nextInt(256);
        }
        try {
          assertThat(StateCodec.decode(changed)).isNotNull();
        } catch (IllegalArgumentException expected) {
          assertThat(expected).hasMessageMatching("(?s).+");
        }
      }
    }
  }
}
