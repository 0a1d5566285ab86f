package io.headgate.server.store;

import io.headgate.outage.OutageListener;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Says in the log that a store is away, and that it is back: a line each. One that comes and goes
 * is said to be away once in {@link #QUIET}, with how often that was; if it stays away it is said
 * then.
 */
final class OutageLog implements OutageListener {
  static final Duration QUIET = Duration.ofSeconds(10);

  private final String store;
  private final Logger log;
  private final LongSupplier nanos;
  private final Executor later;
  private boolean reached; // this and the rest guarded by this
  private boolean away;
  private boolean said;
  private boolean waits;
  private boolean spoke;
  private long spokeAt;
  private int times;
  private String problem = "";

  /**
   * @param store its kind and place
   */
  OutageLog(String store) {
    this(
        store,
        LoggerFactory.getLogger(OutageLog.class),
        System::nanoTime,
        CompletableFuture.delayedExecutor(QUIET.toMillis(), TimeUnit.MILLISECONDS));
  }

  /**
   * @param later runs what it is given when {@link #QUIET} has passed
   */
  OutageLog(String store, Logger log, LongSupplier nanos, Executor later) {
    this.store = store;
    this.log = log;
    this.nanos = nanos;
    this.later = later;
  }

  /** The first decision was the store's own. */
  synchronized void reached() {
    reached = true;
  }

  @Override
  public synchronized void opened(String message) {
    away = true;
    problem = message.strip().replaceAll("\\s*\\R\\s*", " "); // a cluster's takes several lines
    times++;
    boolean quiet = spoke && nanos.getAsLong() - spokeAt < QUIET.toNanos();
    if (!quiet) {
      sayAway();
    } else if (!waits) {
      waits = true;
      later.execute(this::sayIfStillAway);
    }
  }

  @Override
  public synchronized void closed(long outageMicros) {
    away = false;
    if (!said) return;
    said = false;
    log.info(
        "{} {} after {} ms; decisions are its own again",
        store,
        reached ? "is back" : "has come",
        outageMicros / 1_000);
    reached = true;
  }

  private synchronized void sayIfStillAway() {
    waits = false;
    if (away && !said) sayAway();
  }

  private void sayAway() {
    var often = times > 1 ? ", for the %d. time since this was said last".formatted(times) : "";
    log.warn(
        "{} {}{} ({}); until it {} the rules' policies decide (on-store-failure)",
        store,
        reached ? "is away" : "can't be reached",
        often,
        problem,
        reached ? "is back" : "comes");
    said = true;
    spoke = true;
    spokeAt = nanos.getAsLong();
    times = 0;
  }
}
