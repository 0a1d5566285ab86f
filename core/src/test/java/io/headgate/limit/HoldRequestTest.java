package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.HoldRequest.Usage;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Outcome.Refused;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** Regression tests for the counterexamples that model checking of the lease protocol found. */
class HoldRequestTest {
  private static final long START = 1_700_000_000_000_000L;
  private static final long LEASE = 1_000_000;
  private static final TokenBucket TEN = TokenBucket.of(Rate.of(10, Duration.ofHours(1)));

  @Test
  void overtakenReleaseLeavesTheHold() {
    var held = new HoldRequest(1, 2, Usage.NONE, 0, 5, LEASE).from(TEN, State.FRESH, START);
    var late = new HoldRequest(1, 1, Usage.NONE, 0, 0, LEASE).from(TEN, held.state(), START + 1);
    assertThat(late.held()).isZero();
    assertThat(TEN.capacity() - remaining(late.state(), START + 1)).isEqualTo(5);
  }

  @Test
  void checkOfAnOvertakenRequestIsNotCharged() {
    var held = new HoldRequest(1, 2, Usage.NONE, 0, 5, LEASE).from(TEN, State.FRESH, START);
    var late = new HoldRequest(1, 1, Usage.NONE, 3, 5, LEASE).from(TEN, held.state(), START + 1);
    assertThat(late.outcome()).isInstanceOf(Refused.class);
    assertThat(TEN.capacity() - remaining(late.state(), START + 1)).isEqualTo(5);
  }

  @Test
  void requestsOfOtherHoldersAreNotOrdered() {
    var held = new HoldRequest(1, 2, Usage.NONE, 0, 5, LEASE).from(TEN, State.FRESH, START);
    var other = new HoldRequest(2, 1, Usage.NONE, 1, 4, LEASE).from(TEN, held.state(), START + 1);
    assertThat(other.outcome()).isInstanceOf(Passed.class);
    assertThat(other.held()).isEqualTo(4);
  }

  /** 3 of 4 charged and 1 held become 2 of 2 charged and 1 held, which exceeds the limit by one. */
  @Test
  void holdRoundedUpByAChangedLimitIsNotGrantedAgain() {
    var four = TokenBucket.of(Rate.of(4, Duration.ofHours(1)));
    var two = TokenBucket.of(Rate.of(2, Duration.ofHours(1)));
    var charged = four.charged(four.adopt(State.FRESH, START), START, 3);
    var held = new HoldRequest(1, 1, Usage.NONE, 0, 1, LEASE).from(four, charged, START);
    assertThat(held.held()).isEqualTo(1);
    var changed = HeldState.step(two, HeldState.expireHolds(two, held.state(), START), START, 1);
    assertThat(changed.outcome()).isInstanceOf(Refused.class);
    var next =
        new HoldRequest(1, 2, new Usage(0, 1, 0), 0, 1, LEASE).from(two, changed.state(), START);
    assertThat(next.held()).isZero();
  }

  private static long remaining(State state, long now) {
    return ((HeldState) state).step(TEN, now, 0).outcome().remaining();
  }
}
