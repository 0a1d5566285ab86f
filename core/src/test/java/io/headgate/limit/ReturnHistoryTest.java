package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.GiveBack.Receipt;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ReturnHistoryTest {
  private static final long SECOND = 1_000_000;

  private final TokenBucket limit = TokenBucket.of(Rate.of(455, Duration.ofSeconds(20)));
  private State state = State.FRESH;
  private ReturnHistory history = ReturnHistory.NONE;

  private Receipt charge(double seconds, long cost) {
    long now = Math.round(seconds * SECOND);
    state = limit.charged(state, now, cost);
    return new Receipt(cost, now, state.freshAt(), true);
  }

  private void giveBack(double seconds, Receipt receipt) {
    long now = Math.round(seconds * SECOND);
    var returned = GiveBack.of(limit, Share.NONE, state, history, now, receipt.amount(), receipt);
    state = returned.state();
    history = returned.history();
  }

  private long debt(double seconds) {
    long now = Math.round(seconds * SECOND);
    return limit.burst() - limit.step(state, now, 0).outcome().remaining();
  }

  /** The third charge alone leaves a debt of 98; without the history it would be 82. */
  @Test
  void permitsThatWereRefilledAreNotReturnedAfterAnEarlierReturn() {
    var first = charge(3.5, 181);
    var second = charge(5.6, 127);
    giveBack(6.0, first);
    charge(6.7, 127);
    giveBack(8.0, second);
    assertThat(debt(8.0)).isBetween(98L, 128L);
  }

  @Test
  void returnThatNoOtherChargeHasSeenIsNotRecorded() {
    var only = charge(1, 100);
    giveBack(2, only);
    assertThat(history).isEqualTo(ReturnHistory.NONE);
    assertThat(debt(2)).isZero();
  }

  @Test
  void chargeThatIsGivenBackAtOnceIsReturnedInFullWhateverWasReturnedBefore() {
    var older = charge(1, 200);
    charge(1, 50);
    giveBack(1, older);
    var next = charge(1, 100);
    giveBack(1, next);
    assertThat(debt(1)).isEqualTo(50);
  }

  @Test
  void withoutRoomForTheHistoryOnlyUnseenChargesAreReturned() {
    var older = charge(1, 200);
    var newer = charge(1, 50);
    history = ReturnHistory.FULL;
    giveBack(1, older);
    assertThat(debt(1)).isEqualTo(250);
    giveBack(1, newer);
    assertThat(debt(1)).isEqualTo(200);
  }

  @Test
  void numberOfSpansIsBounded() {
    var random = new Random(1);
    for (int i = 0; i < 2_000; i++) {
      double now = i / 50.0;
      var older = charge(now, 1 + random.nextInt(10));
      charge(now, 1);
      giveBack(now + random.nextInt(20) / 1_000.0, older);
      assertThat(history.spans()).hasSizeLessThanOrEqualTo(ReturnHistory.MAX_SPANS);
    }
    assertThat(history.spans()).hasSizeGreaterThan(ReturnHistory.CELLS / 2);
  }
}
