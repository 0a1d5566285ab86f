package io.headgate.server.http.simulation;

import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.http.protocol.MediaTypes;
import io.headgate.server.http.transport.Exchange;
import io.headgate.server.simulation.Deadline;
import io.headgate.server.simulation.RecentTraffic;
import io.headgate.store.Budget;
import io.vertx.core.buffer.Buffer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;

/**
 * Runs simulations for all event loops on threads of their own: at most two at a time, each for at
 * most ten seconds. Thread-safe.
 */
public final class SimulationExecutor {
  /**
   * Heap for each simulation: rules and requests of 8 MB take several times as much when parsed.
   */
  private static final long HEAP_PER_SIMULATION = 96L << 20;

  /** The number of simulations that may run at once: two, or one if the heap is small. */
  static final int MAX_CONCURRENT =
      Math.clamp(Runtime.getRuntime().maxMemory() / HEAP_PER_SIMULATION, 1, 2);

  static final Duration MAX_DURATION = Duration.ofSeconds(10);

  private final Budget running =
      new Budget("simulations", MAX_CONCURRENT, "run fewer at a time, or use headgate simulate");
  private final RecentTraffic traffic;
  private final Duration maxDuration;
  private final Executor threads;

  /**
   * @param traffic the recent requests of this instance
   */
  public SimulationExecutor(RecentTraffic traffic) {
    this(traffic, MAX_DURATION);
  }

  SimulationExecutor(RecentTraffic traffic, Duration maxDuration) {
    this(
        traffic,
        maxDuration,
        work -> Thread.ofPlatform().daemon().name("headgate-simulation").start(work));
  }

  /**
   * @param threads runs each simulation, or throws if it can't
   */
  SimulationExecutor(RecentTraffic traffic, Duration maxDuration, Executor threads) {
    this.traffic = traffic;
    this.maxDuration = maxDuration;
    this.threads = threads;
  }

  /** Returns the use of simulations and their refusals. */
  public Budget budget() {
    return running;
  }

  /** Returns the recent requests of this instance. */
  public RecentTraffic traffic() {
    return traffic;
  }

  /** Runs a simulation and answers with the JSON it writes. */
  void run(Exchange exchange, Function<Deadline, JsonWriter> simulation) {
    exchange.whenComplete(start(simulation), body -> exchange.answer(200, MediaTypes.JSON, body));
  }

  /**
   * Starts a simulation.
   *
   * @throws ProblemException with status 503 if two are already running
   */
  CompletableFuture<Buffer> start(Function<Deadline, JsonWriter> simulation) {
    if (!running.tryTake()) {
      throw new ProblemException(
          ProblemDocument.of(
                  503,
                  "%d simulations are already running, which is the maximum; try again in a second"
                      .formatted(MAX_CONCURRENT))
              .with("Retry-After", "1"));
    }
    boolean started = false;
    try {
      var answer = CompletableFuture.supplyAsync(() -> answer(simulation), threads);
      started = true;
      return answer;
    } finally {
      // Without a thread nothing else releases it.
      if (!started) running.giveBack(1);
    }
  }

  private Buffer answer(Function<Deadline, JsonWriter> simulation) {
    try {
      return simulation.apply(deadline()).buffer();
    } catch (Deadline.Overdue e) {
      throw new ProblemException(tooLong());
    } finally {
      running.giveBack(1);
    }
  }

  private Deadline deadline() {
    long end = System.nanoTime() + maxDuration.toNanos();
    return () -> System.nanoTime() - end > 0;
  }

  private ProblemDocument tooLong() {
    return ProblemDocument.of(
        503,
        "the simulation took longer than %d seconds; try fewer requests, limits or rules"
            .formatted(maxDuration.toSeconds()));
  }
}
