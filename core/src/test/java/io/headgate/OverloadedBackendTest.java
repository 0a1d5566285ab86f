package io.headgate;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Shed;
import io.headgate.load.LoadSignal;
import io.headgate.load.ShedPolicy;
import io.headgate.load.SignalKind;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.MemoryStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Sheds the load of a simulated backend that receives more than its capacity: a tenth of the
 * requests is critical, three tenths are normal, and the rest is bulk. Clients give up after a
 * second, and the backend works on their requests nevertheless, so that without shedding no request
 * is answered in time.
 */
class OverloadedBackendTest {
  private static final int CAPACITY = 400; // a second
  private static final double TARGET = 0.9; // of the capacity
  private static final int USERS = 2_000;
  private static final int SECONDS = 180;
  private static final int MEASURED_FROM = 90;

  private final ManualTicker ticker = new ManualTicker();
  private final Random random = new Random(20_261_117);
  private final RateLimiter limiter =
      RateLimiter.with(
          MemoryStore.create(ticker, 10_000),
          RuleSet.of(
              Rule.named("shed")
                  .match("backend", "*")
                  .limit(
                      new Shed(
                          ShedPolicy.of(SignalKind.UTILIZATION, TARGET)
                              .withPriorities("priority", "critical", "normal", "bulk")
                              .withCallers("user")))
                  .build()),
          ticker);

  @AfterEach
  void close() {
    limiter.close();
  }

  /** The figures of the seconds that are measured. */
  private static final class Figures {
    long answered;
    long criticalDropped;
    long abuserSent;
    long abuserPassed;
    long othersSent;
    long othersPassed;
    double lowest = 1;
    double highest;

    double goodput() {
      return answered / (double) ((SECONDS - MEASURED_FROM) * CAPACITY);
    }

    @Override
    public String toString() {
      return "goodput %.3f, level %.3f to %.3f, critical dropped %d, of the abuser %.2f and of other bulk users %.2f passed"
          .formatted(
              goodput(),
              lowest,
              highest,
              criticalDropped,
              abuserPassed / (double) Math.max(1, abuserSent),
              othersPassed / (double) Math.max(1, othersSent));
    }
  }

  /**
   * @param load the offered requests relative to the capacity
   * @param staleness the seconds by which reports are late
   * @param abuse the share of the bulk requests that one user sends
   */
  private Figures run(double load, boolean reports, int staleness, double abuse) {
    var figures = new Figures();
    var late = new ArrayDeque<Double>();
    double backlog = 0;
    for (int second = 0; second < SECONDS; second++) {
      boolean measured = second >= MEASURED_FROM;
      int admitted = 0;
      for (int i = 0; i < load * CAPACITY; i++) {
        double kind = random.nextDouble();
        String priority = kind < 0.1 ? "critical" : kind < 0.4 ? "normal" : "bulk";
        boolean bulk = priority.equals("bulk");
        int user = bulk && random.nextDouble() < abuse ? -1 : random.nextInt(USERS);
        boolean passes =
            limiter
                .check(
                    Subject.of(
                        Map.of(
                            "backend", "b", "priority", priority, "user", Integer.toString(user))))
                .isAllowed();
        if (passes) admitted++;
        if (!measured) continue;
        if (!passes && priority.equals("critical")) figures.criticalDropped++;
        if (bulk && user < 0) figures.abuserSent++;
        if (bulk && user < 0 && passes) figures.abuserPassed++;
        if (bulk && user >= 0) figures.othersSent++;
        if (bulk && user >= 0 && passes) figures.othersPassed++;
      }
      double work = backlog + admitted;
      double done = Math.min(work, CAPACITY);
      // Requests that waited for more than a second are answered too late.
      if (measured && backlog < CAPACITY) figures.answered += (long) done;
      backlog = Math.min(work - done, 10 * CAPACITY);
      late.add(done / CAPACITY);
      if (reports && late.size() > staleness) {
        limiter
            .signals()
            .report(Subject.of("backend", "b"), LoadSignal.ofUtilization(late.removeFirst()));
      }
      ticker.advance(Duration.ofSeconds(1));
      limiter.signals().sync().join();
      double level = limiter.signals().levels().getFirst().level();
      if (measured) {
        figures.lowest = Math.min(figures.lowest, level);
        figures.highest = Math.max(figures.highest, level);
      }
    }
    return figures;
  }

  @Test
  void backendWithoutSheddingAnswersNothingInTime() {
    assertThat(run(3, false, 0, 0).goodput()).isZero();
  }

  @Test
  void backendWithSheddingWorksNearItsTargetAndNoCriticalRequestIsDropped() {
    var figures = run(3, true, 0, 0);
    assertThat(figures.goodput()).as(figures.toString()).isGreaterThan(0.95 * TARGET);
    assertThat(figures.criticalDropped).as(figures.toString()).isZero();
    assertThat(figures.highest - figures.lowest).as(figures.toString()).isLessThan(0.15);
  }

  @Test
  void reportsThatAreTwoSecondsLateDoNotMakeTheLevelOscillate() {
    var figures = run(3, true, 2, 0);
    assertThat(figures.goodput()).as(figures.toString()).isGreaterThan(0.95 * TARGET);
    assertThat(figures.criticalDropped).as(figures.toString()).isZero();
    assertThat(figures.highest - figures.lowest).as(figures.toString()).isLessThan(0.15);
  }

  @Test
  void userWithHalfOfTheBulkRequestsIsDroppedBeforeTheOthers() {
    var figures = run(1.5, true, 0, 0.5);
    assertThat(figures.goodput()).as(figures.toString()).isGreaterThan(0.95 * TARGET);
    assertThat(figures.criticalDropped).as(figures.toString()).isZero();
    assertThat(figures.abuserPassed / (double) figures.abuserSent)
        .as(figures.toString())
        .isLessThan(0.5 * figures.othersPassed / figures.othersSent);
  }
}
