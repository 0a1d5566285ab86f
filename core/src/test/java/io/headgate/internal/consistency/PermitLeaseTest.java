package io.headgate.internal.consistency;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.internal.consistency.HoldingStore.HoldResult;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.HoldRequest.Usage;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Rate;
import io.headgate.rule.Charge;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.MemoryStore;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** Tests that a permit lease reports exactly the permits that were spent. */
class PermitLeaseTest {
  private static final LeaseSizing SIZING = new LeaseSizing(25);
  private static final long UNTIL = 1_792_000_000_000_000L;

  private final DenialCache denials =
      new DenialCache(MemoryStore.create(), (counter, key) -> key, () -> 0);
  private final PermitLease lease = new PermitLease(charge(1_000), denials, 0);

  private static FixedWindow limitOf(int permits) {
    return FixedWindow.of(Rate.perHour(permits));
  }

  private static Charge charge(int permits) {
    var rule = Rule.named("r").match("key", "*").limit(limitOf(permits)).build();
    return RuleSet.of(rule).plan(Request.of(Subject.of("k")), 0, 0).charges().getFirst();
  }

  private void spend(int times) {
    for (int i = 0; i < times; i++) {
      assertThat(lease.spend(charge(1_000), 0)).isInstanceOf(Passed.class);
    }
  }

  private PermitLease.Request request(long min) {
    return Objects.requireNonNull(lease.prepareRequest(SIZING, 1, min, 0));
  }

  private void grant(PermitLease.Request request, long held) {
    lease.granted(request, new HoldResult(new Passed(100, 1_000_000, 0), held, UNTIL), 0);
  }

  @Test
  void refundBeforeTheReportCanBeSpentAgain() {
    grant(request(10), 10);
    int reportCount = lease.reportCount();
    spend(10);
    lease.refund(1, reportCount);
    spend(1);
    assertThat(request(10).usage().spent()).isEqualTo(10);
  }

  @Test
  void reportedPermitsStaySpent() {
    grant(request(10), 10);
    int reportCount = lease.reportCount();
    spend(5);
    var request = request(10);
    assertThat(request.usage().spent()).isEqualTo(5);
    lease.refund(1, reportCount);
    grant(request, 10);
    assertThat(request(10).usage().spent()).isZero();
  }

  @Test
  void refundAfterTheReplyHasNoEffectOnReportedPermits() {
    grant(request(10), 10);
    int reportCount = lease.reportCount();
    spend(5);
    grant(request(10), 10);
    spend(2);
    lease.refund(1, reportCount);
    assertThat(request(10).usage().spent()).isEqualTo(2);
  }

  @Test
  void replyToARequestOfAnotherLimitGrantsNothing() {
    grant(request(10), 10);
    spend(1);
    var request = request(10);
    assertThat(lease.spend(charge(20), 0)).isNull();
    grant(request, 10);
    assertThat(lease.spend(charge(20), 0)).isNull();
    assertThat(request(1).usage()).isEqualTo(new Usage(0, 10, 0));
  }

  @Test
  void requestAfterALimitChangeReportsTheUsage() {
    grant(request(10), 10);
    spend(3);
    assertThat(lease.spend(charge(20), 0)).isNull();
    assertThat(request(1).usage()).isEqualTo(new Usage(3, 10, 0));
  }

  @Test
  void requestAfterALostReplyReportsAllSpentPermits() {
    grant(request(10), 10);
    spend(3);
    request(10);
    spend(2);
    lease.requestFailed(false);
    assertThat(lease.spend(charge(1_000), 0)).isNull();
    assertThat(request(10).usage()).isEqualTo(new Usage(5, 10, UNTIL));
  }

  @Test
  void unsentRequestLeavesTheHoldUnchanged() {
    grant(request(10), 10);
    spend(3);
    request(10);
    lease.requestFailed(true);
    spend(7);
    assertThat(request(10).usage()).isEqualTo(new Usage(10, 10, UNTIL));
  }

  @Test
  void withoutRoomForAnotherHolderTheStoreDecides() {
    grant(request(10), 0); // although 100 remain
    assertThat(lease.spend(charge(1_000), 0)).isNull();
    assertThat(lease.prepareRequest(SIZING, 1, 10, 0)).isNull();
    assertThat(lease.prepareRequest(SIZING, 1, 10, 2_000_000_000L)).isNotNull();
  }
}
