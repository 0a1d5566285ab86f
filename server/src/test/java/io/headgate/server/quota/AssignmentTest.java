package io.headgate.server.quota;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.junit.jupiter.api.Test;

/** Checks the arithmetic of assignments against a model of Envoy and of a slow network. */
class AssignmentTest {
  private static final long MS = 1_000_000;
  private static final long TTL = 2_000 * MS;
  private static final long ROUND_TRIP = 400 * MS;

  record InFlight<T>(long arrivesAt, T message) {}

  private record Message(QuotaStrategy strategy, boolean replaces) {}

  /** A proxy behind a network that delays each message by up to half of a round trip. */
  private static final class Run {
    final Random random;
    final int mostRequests;
    final ProxyBucket proxy = new ProxyBucket(false);
    final ArrayDeque<InFlight<Message>> toProxy = new ArrayDeque<>();
    final ArrayDeque<InFlight<Long>> toServer = new ArrayDeque<>();
    Assignment assignment = Assignment.none(0);
    long now;
    long settled;
    QuotaStrategy sent = new QuotaStrategy.DenyAll();

    Run(long seed) {
      random = new Random(seed);
      mostRequests = 1 + random.nextInt(20);
    }

    void step() {
      now += random.nextLong(60 * MS);
      while (!toProxy.isEmpty() && toProxy.peek().arrivesAt <= now) {
        var arrived = toProxy.poll();
        proxy.apply(arrived.message.strategy, arrived.message.replaces, TTL, arrived.arrivesAt);
      }
      while (!toServer.isEmpty() && toServer.peek().arrivesAt <= now) settle(toServer.poll());
      switch (random.nextInt(20)) {
        case 0, 1, 2, 3, 4, 5, 6, 7 -> {
          int requests = random.nextInt(mostRequests + 1);
          for (int i = 0; i < requests; i++) proxy.request(now);
        }
        case 8, 9, 10, 11 ->
            toServer.add(new InFlight<>(arrival(toServer), proxy.report().allowed()));
        case 12 -> replace(random.nextInt(30));
        default -> extend();
      }
    }

    /** Returns when a message that is sent now arrives; messages don't overtake each other. */
    private long arrival(ArrayDeque<? extends InFlight<?>> earlier) {
      long arrives = now + random.nextLong(ROUND_TRIP / 2);
      return earlier.isEmpty() ? arrives : Math.max(arrives, earlier.peekLast().arrivesAt());
    }

    private void settle(InFlight<Long> report) {
      var settlement = assignment.reported(report.message, report.arrivesAt, ROUND_TRIP);
      assignment = settlement.next();
      settled += settlement.spent();
      assertThat(settlement.unassigned()).isZero();
    }

    private void replace(long permits) {
      assignment = assignment.replaced(permits, now);
      sent = permits == 0 ? new QuotaStrategy.DenyAll() : new QuotaStrategy.Tokens(permits);
      toProxy.add(new InFlight<>(arrival(toProxy), new Message(sent, true)));
    }

    private void extend() {
      if (!assignment.isExtendable(now, TTL, ROUND_TRIP)) return;
      assignment = assignment.extended(now);
      toProxy.add(new InFlight<>(arrival(toProxy), new Message(sent, false)));
    }
  }

  @Property(tries = 300)
  void outstandingCoversEverythingTheProxyAdmits(@ForAll long seed) {
    var run = new Run(seed);
    for (int i = 0; i < 400; i++) {
      run.step();
      assertThat(run.proxy.everAllowed() - run.settled)
          .isLessThanOrEqualTo(run.assignment.outstanding());
    }
    assertThat(run.proxy.everAllowed()).isPositive();
  }

  /** The time after which outstanding permits are charged without a report. */
  @Property(tries = 200)
  void expiredAssignmentAdmitsNothingMore(
      @ForAll long seed, @ForAll @IntRange(min = 1, max = 50) int permits) {
    var run = new Run(seed);
    run.replace(permits);
    for (int i = 0; i < 30; i++) {
      run.now += run.random.nextLong(200 * MS);
      if (run.assignment.isExpired(run.now, TTL, ROUND_TRIP)) break;
      run.extend();
    }
    while (!run.assignment.isExpired(run.now, TTL, ROUND_TRIP)) run.now += MS;
    while (!run.toProxy.isEmpty()) {
      var arrived = run.toProxy.poll();
      run.proxy.apply(arrived.message.strategy, arrived.message.replaces, TTL, arrived.arrivesAt);
    }
    assertThat(run.proxy.request(run.now)).isFalse();
  }

  @Test
  void lateExtensionIsANewAssignmentToAProxy() {
    var proxy = new ProxyBucket(false);
    var tokens = new QuotaStrategy.Tokens(1);
    proxy.apply(tokens, true, TTL, 0);
    assertThat(proxy.request(0)).isTrue();
    proxy.apply(tokens, false, TTL, TTL - 1);
    assertThat(proxy.request(TTL - 1)).isFalse();
    proxy.apply(tokens, false, TTL, 2 * TTL);
    assertThat(proxy.request(2 * TTL)).isTrue();
    var assignment = Assignment.none(0).replaced(1, 0);
    assertThat(assignment.isExtendable(TTL - ROUND_TRIP, TTL, ROUND_TRIP)).isTrue();
    assertThat(assignment.isExtendable(TTL - ROUND_TRIP + 1, TTL, ROUND_TRIP)).isFalse();
  }

  @Test
  void unspentPermitsReturnARoundTripAfterTheirReplacement() {
    var assignment = Assignment.none(0).replaced(10, 0).reported(2, 1, ROUND_TRIP).next();
    assertThat(assignment.outstanding()).isEqualTo(8);
    var replaced = assignment.replaced(5, 2);
    assertThat(replaced.outstanding()).isEqualTo(13);
    var early = replaced.reported(0, ROUND_TRIP + 1, ROUND_TRIP);
    assertThat(List.of(early.next().outstanding(), early.returned())).containsExactly(13L, 0L);
    var late = early.next().reported(0, ROUND_TRIP + 2, ROUND_TRIP);
    assertThat(List.of(late.next().outstanding(), late.returned())).containsExactly(5L, 8L);
  }

  @Test
  void admittedRequestsWithoutAssignmentAreReportedAsSuch() {
    var settled = Assignment.none(0).replaced(3, 0).reported(5, 1, ROUND_TRIP);
    assertThat(List.of(settled.spent(), settled.unassigned())).containsExactly(3L, 2L);
  }
}
