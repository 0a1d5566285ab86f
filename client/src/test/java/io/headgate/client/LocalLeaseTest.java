package io.headgate.client;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class LocalLeaseTest {
  private static final Request ADA = Request.of(Subject.of("user:ada"));
  private static final long SECOND = Duration.ofSeconds(1).toNanos();

  private final LocalLease lease = new LocalLease(ADA, 0);

  private LocalLease.Call grant(LocalLease.Call call, long checks) throws IOException {
    String body =
        """
        {"id":"abc","checks":%d,"ttlMs":10000,"allowed":true,"rule":"r","limit":1000,
         "remaining":800,"resetAfterMs":5000,"source":"store","violated":[],"limits":[]}
        """
            .formatted(checks);
    var reply = ReplyJson.lease(body.getBytes(StandardCharsets.UTF_8));
    lease.granted(call, reply, reply.result(ADA));
    return call;
  }

  private LocalLease.Call acquired(long now, long checks) throws IOException {
    for (int i = 0; i < 3; i++) assertThat(lease.spend(now)).isNull();
    return grant(Objects.requireNonNull(lease.acquire(now)), checks);
  }

  @Test
  void rareRequestsAreNotLeased() {
    lease.spend(0);
    lease.spend(0);
    assertThat(lease.acquire(0)).isNull();
    assertThat(lease.acquire(11 * SECOND)).as("counts anew").isNull();
    lease.spend(11 * SECOND);
    assertThat(lease.acquire(11 * SECOND)).isNull();
  }

  @Test
  void spendsNoMoreThanTheLease() throws IOException {
    acquired(0, 5);
    for (int i = 0; i < 5; i++) assertThat(lease.spend(SECOND)).isNotNull();
    assertThat(lease.spend(SECOND)).isNull();
  }

  @Test
  void leaseEndsBeforeItsTimeToLiveCountedFromTheRequest() throws IOException {
    acquired(0, 5);
    assertThat(lease.spend(9 * SECOND)).isNotNull();
    assertThat(lease.spend(10 * SECOND - 1)).isNull();
  }

  @Test
  void checksDuringARenewalAreReportedByTheNextOne() throws IOException {
    acquired(0, 8);
    for (int i = 0; i < 6; i++) lease.spend(SECOND);
    var renewal = Objects.requireNonNull(lease.renew(SECOND));
    assertThat(renewal.used()).isEqualTo(6);
    assertThat(renewal.id()).isEqualTo("abc");
    assertThat(lease.spend(SECOND)).as("the service keeps the rest held").isNotNull();
    grant(renewal, 20);
    assertThat(Objects.requireNonNull(lease.release(SECOND)).used()).isEqualTo(1);
  }

  @Test
  void leaseWithoutAReplyIsAbandoned() throws IOException {
    acquired(0, 8);
    for (int i = 0; i < 6; i++) lease.spend(SECOND);
    lease.renew(SECOND);
    lease.ended(SECOND, Duration.ofSeconds(1));
    assertThat(lease.spend(SECOND)).isNull();
    assertThat(lease.acquire(SECOND)).as("paused").isNull();
    assertThat(Objects.requireNonNull(lease.acquire(3 * SECOND)).id()).isNull();
  }

  @Test
  void releasedLeaseIsNotSpent() throws IOException {
    acquired(0, 8);
    assertThat(lease.isDueForRelease(SECOND)).isFalse();
    assertThat(lease.isDueForRelease(3 * SECOND)).isTrue();
    assertThat(Objects.requireNonNull(lease.release(3 * SECOND)).wish()).isNegative();
    assertThat(lease.spend(3 * SECOND)).isNull();
  }

  @Test
  void wishFollowsTheDemandAndLeavesPermitsToOthers() throws IOException {
    acquired(0, 50);
    for (int i = 0; i < 40; i++) lease.spend(SECOND);
    assertThat(Objects.requireNonNull(lease.renew(SECOND)).wish())
        .as("half of the lease at 43 a second, at most a quarter of 800")
        .isEqualTo(200);
  }
}
