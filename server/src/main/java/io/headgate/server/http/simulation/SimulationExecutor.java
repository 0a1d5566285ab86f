package io.headgate.server.http.simulation;

import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.http.protocol.MediaTypes;
import io.headgate.server.http.transport.Exchange;
import io.headgate.server.simulation.Deadline;
import io.headgate.server.simulation.RecentTraffic;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.function.Function;

/**
 * Runs trials beside the checks, for all event loops: on threads of their own, few at a time, and
 * none for long.
 */
public final class SimulationExecutor {
  static final int AT_ONCE = 2;
  static final Duration LONGEST = Duration.ofSeconds(10);

  private final Semaphore places = new Semaphore(AT_ONCE);
  private final RecentTraffic traffic;
  private final Duration longest;
  private final Executor threads;

  public SimulationExecutor(RecentTraffic traffic) {
    this(traffic, LONGEST);
  }

  SimulationExecutor(RecentTraffic traffic, Duration longest) {
    this(traffic, longest, work -> Thread.ofPlatform().daemon().name("headgate-trial").start(work));
  }

  /**
   * @param threads runs each trial, or throws if it can't
   */
  SimulationExecutor(RecentTraffic traffic, Duration longest, Executor threads) {
    this.traffic = traffic;
    this.longest = longest;
    this.threads = threads;
  }

  /** What was asked lately. */
  public RecentTraffic traffic() {
    return traffic;
  }

  /** Answers with what the trial writes. */
  void run(Exchange exchange, Function<Deadline, JsonWriter> trial) {
    exchange.when(start(trial), body -> exchange.answer(200, MediaTypes.JSON, body));
  }

  CompletableFuture<Buffer> start(Function<Deadline, JsonWriter> trial) {
    if (!places.tryAcquire()) {
      throw new ProblemException(
          ProblemDocument.of(
                  503,
                  "%d trials are under way, which is as many as there may be; ask again in a second"
                      .formatted(AT_ONCE))
              .with("Retry-After", "1"));
    }
    boolean begun = false;
    try {
      var answer = CompletableFuture.supplyAsync(() -> answer(trial), threads);
      begun = true;
      return answer;
    } finally {
      // Where there is no thread for it, nobody else will: two such, and there would be no trials.
      if (!begun) places.release();
    }
  }

  private Buffer answer(Function<Deadline, JsonWriter> trial) {
    try {
      return Buffer.buffer(trial.apply(patience()).toString());
    } catch (Deadline.Overdue e) {
      throw new ProblemException(tooLong());
    } finally {
      places.release();
    }
  }

  private Deadline patience() {
    long end = System.nanoTime() + longest.toNanos();
    return () -> System.nanoTime() - end > 0;
  }

  private ProblemDocument tooLong() {
    return ProblemDocument.of(
        503,
        "the trial took longer than %d seconds; try fewer requests, limits or rules"
            .formatted(longest.toSeconds()));
  }
}
