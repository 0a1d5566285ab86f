package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class ConcurrencyTest {
  private static final Concurrency TWO = Concurrency.of(2).withLease(Duration.ofSeconds(30));

  private State state = State.FRESH;

  @Test
  void atMostTheMaximumIsInFlight() {
    assertThat(acquire(1, "0s") + acquire(2, "10s") + acquire(3, "10s"))
        .isEqualTo("ok:1 ok:0 wait:20s ");
  }

  @Test
  void releasedSlotIsFreeImmediately() {
    assertThat(acquire(1, "0s") + acquire(2, "0s") + acquire(3, "0s"))
        .isEqualTo("ok:1 ok:0 wait:30s ");
    release(1, "0s");
    assertThat(acquire(3, "0s") + acquire(4, "0s")).isEqualTo("ok:0 wait:30s ");
  }

  @Test
  void abandonedSlotExpires() {
    assertThat(acquire(1, "0s") + acquire(2, "5s") + acquire(3, "29999999us") + acquire(3, "30s"))
        .isEqualTo("ok:1 ok:0 wait:1us ok:0 ");
    assertThat(holds(1, "30s")).isFalse();
  }

  @Test
  void renewedSlotIsHeldForAFullLease() {
    assertThat(acquire(1, "0s") + acquire(2, "0s")).isEqualTo("ok:1 ok:0 ");
    renew(1, "20s");
    assertThat(acquire(3, "29s") + acquire(3, "30s") + acquire(4, "31s"))
        .isEqualTo("wait:1s ok:0 wait:19s ");
    assertThat(holds(1, "49s")).isTrue();
    assertThat(holds(1, "50s")).isFalse();
  }

  @Test
  void expiredSlotStaysExpired() {
    acquire(1, "0s");
    renew(1, "30s");
    assertThat(holds(1, "30s")).isFalse();
    renew(1, "10s"); // even if the clock steps back to before its expiry
    assertThat(holds(1, "10s")).isFalse();
  }

  @Test
  void renewalAfterTheClockStepsBackDoesNotShortenTheSlot() {
    acquire(1, "100s");
    renew(1, "50s");
    assertThat(holds(1, "129s")).isTrue();
    assertThat(holds(1, "130s")).isFalse();
  }

  @Test
  void shorterLeaseDoesNotShortenExistingSlots() {
    acquire(1, "0s");
    var shorter = Concurrency.of(2).withLease(Duration.ofSeconds(5));
    state = shorter.renew(state, 0, 1);
    assertThat(holds(1, "29s")).isTrue();
  }

  @Test
  void unknownHolderCanNeitherRenewNorRelease() {
    acquire(1, "0s");
    renew(7, "10s");
    release(7, "10s");
    assertThat(holds(7, "10s")).isFalse();
    assertThat(acquire(2, "10s") + acquire(3, "10s")).isEqualTo("ok:0 wait:20s ");
  }

  @Test
  void requestMayAcquireSeveralSlots() {
    assertThat(Trace.of(Concurrency.of(5), "2@0s 2@10s 3@10s 4@10s 6@10s 3@30s"))
        .isEqualTo("ok:3 ok:1 wait:20s wait:30s never ok:0");
  }

  @Test
  void costOfZeroAcquiresNoSlot() {
    assertThat(Trace.of(TWO, "0@0s 0s 0@0s 0@30s")).isEqualTo("ok:2 ok:1 ok:1 ok:2");
  }

  private String acquire(long holder, String time) {
    var step = TWO.step(state, Trace.micros(time), 1, holder);
    state = step.state();
    return Trace.format(step.outcome()) + " ";
  }

  private void renew(long holder, String time) {
    state = TWO.renew(state, Trace.micros(time), holder);
  }

  private void release(long holder, String time) {
    state = TWO.release(state, Trace.micros(time), holder);
  }

  private boolean holds(long holder, String time) {
    return TWO.adopt(state, Trace.micros(time)).holds(holder);
  }

  @Test
  void requestAcquiresABoundedNumberOfSlots() {
    var limit = Concurrency.of(Concurrency.MAX_SLOTS);
    assertThat(limit.step(State.FRESH, 0, Concurrency.MAX_COST).outcome())
        .isInstanceOf(Outcome.Passed.class);
    assertThat(limit.step(State.FRESH, 0, Concurrency.MAX_COST + 1).outcome())
        .isEqualTo(new Outcome.ExceedsCapacity(100_000, 0, 1_001, 1_000));
  }
}
