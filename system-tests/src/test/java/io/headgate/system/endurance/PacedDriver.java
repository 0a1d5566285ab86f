package io.headgate.system.endurance;

import io.headgate.testkit.Eventually;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Makes calls at a constant rate, with a bounded number of them in flight. */
final class PacedDriver implements AutoCloseable {
  private static final long TICK_MILLIS = 10;
  private static final double MAX_BEHIND_SECONDS = 1;
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  final Calls calls;
  private final Tally tally;
  private final double rate;
  private final SplittableRandom random;
  private final ScheduledExecutorService clock;
  private final AtomicInteger inFlight = new AtomicInteger();
  private double owed;
  private long lastTick;
  private @Nullable ScheduledFuture<?> ticks;

  PacedDriver(
      Calls calls,
      Tally tally,
      double rate,
      SplittableRandom random,
      ScheduledExecutorService clock) {
    this.calls = calls;
    this.tally = tally;
    this.rate = rate;
    this.random = random;
    this.clock = clock;
  }

  String protocol() {
    return tally.protocol;
  }

  void start() {
    lastTick = System.nanoTime();
    owed = 0;
    ticks = clock.scheduleAtFixedRate(this::tick, 0, TICK_MILLIS, TimeUnit.MILLISECONDS);
  }

  private void tick() {
    long now = System.nanoTime();
    // Calls that could not be made in time are dropped, so that a stall is not followed by a flood.
    owed = Math.min(owed + rate * (now - lastTick) / 1e9, rate * MAX_BEHIND_SECONDS);
    lastTick = now;
    while (owed >= 1 && inFlight.get() < calls.maxInFlight()) {
      owed--;
      call();
    }
  }

  private void call() {
    inFlight.incrementAndGet();
    var begun = tally.begin();
    CompletionStage<Reply> reply;
    try {
      reply = calls.call(random);
    } catch (RuntimeException e) {
      begun.failed(e);
      inFlight.decrementAndGet();
      return;
    }
    var unused =
        reply.whenComplete((answer, failure) -> {
          if (failure != null) begun.failed(failure);
          else begun.answered(answer);
          inFlight.decrementAndGet();
        });
  }

  /** Stops making calls, and waits for those in flight. The connection stays open. */
  void pause() {
    if (ticks != null) ticks.cancel(false);
    Eventually.holds(
        "all calls of " + tally.protocol + " are answered", PATIENCE, () -> inFlight.get() == 0);
  }

  @Override
  public void close() {
    if (ticks != null) ticks.cancel(false);
    calls.close();
  }
}
