package io.headgate.client.outbound;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.http.HttpHeaders;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServiceQuotaTest {
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final ServiceQuota quota = new ServiceQuota();

  private void answered(long now, String limit, String policy) {
    var headers =
        Map.of(
            "RateLimit",
            List.of(limit),
            "RateLimit-Policy",
            policy.isEmpty() ? List.<String>of() : List.of(policy));
    quota.answered(200, HttpHeaders.of(headers, (name, value) -> true), now);
  }

  private int taken(long now) {
    int taken = 0;
    while (taken < 100 && quota.take(now) == 0) taken++;
    return taken;
  }

  @Test
  void unknownServiceIsNotLimited() {
    assertThat(taken(0)).isEqualTo(100);
  }

  @Test
  void remainingQuotaIsSpentUntilTheReset() {
    quota.take(0);
    answered(0, "\"a\";r=3;t=10", "");
    assertThat(taken(0)).isEqualTo(3);
    assertThat(quota.take(4 * SECOND)).isEqualTo(6 * SECOND);
  }

  @Test
  void requestsInFlightAreDeducted() {
    quota.take(0);
    quota.take(0);
    answered(0, "\"a\";r=3;t=10", "");
    assertThat(taken(0)).isEqualTo(2);
  }

  @Test
  void lateResponseDoesNotRaiseTheQuota() {
    quota.take(0);
    quota.take(0);
    answered(0, "\"a\";r=1;t=10", ""); // of the second request
    answered(0, "\"a\";r=2;t=10", ""); // of the first
    assertThat(taken(0)).isZero();
  }

  @Test
  void quotaThatGrowsIsUsedByRequestsInSequence() {
    for (int left : new int[] {3, 8}) {
      quota.take(0);
      answered(0, "\"a\";r=%d;t=10".formatted(left), "");
    }
    assertThat(taken(0)).isEqualTo(8);
  }

  @Test
  void unsentRequestReturnsItsPermit() {
    quota.take(0);
    answered(0, "\"a\";r=1;t=10", "");
    assertThat(quota.take(0)).isZero();
    quota.putBack();
    assertThat(taken(0)).isOne();
  }

  @Test
  void oneRequestPassesAfterAResetIfTheQuotaIsUnknown() {
    quota.take(0);
    answered(0, "\"a\";r=0;t=10", "");
    assertThat(taken(10 * SECOND - 1)).isZero();
    assertThat(taken(10 * SECOND)).isOne();
    assertThat(taken(20 * SECOND)).isOne(); // no response came; the next period
  }

  @Test
  void wholeQuotaOfThePolicyIsBackAfterAReset() {
    quota.take(0);
    answered(0, "\"a\";r=0;t=1", "\"a\";q=7;w=60");
    assertThat(taken(SECOND)).isEqualTo(7);
    assertThat(taken(60 * SECOND)).isZero();
    assertThat(taken(61 * SECOND)).isEqualTo(7);
  }

  @Test
  void strictestPolicyDecides() {
    quota.take(0);
    answered(0, "\"a\";r=5;t=1, \"b\";r=2;t=100", "");
    assertThat(taken(0)).isEqualTo(2);
    assertThat(quota.take(SECOND)).isEqualTo(99 * SECOND);
  }

  @Test
  void waitIsBoundedWhateverTheServiceClaims() {
    quota.take(0);
    answered(0, "\"a\";r=0;t=999999999999999", "");
    assertThat(quota.take(0)).isEqualTo(Duration.ofDays(1).toNanos());
  }
}
