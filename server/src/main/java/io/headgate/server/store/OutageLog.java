package io.headgate.server.store;

import io.headgate.store.OutageListener;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs the outages of a store: one line when it becomes unavailable, one when it recovers.
 *
 * <p>Outages of a flapping store are logged at most once per {@link #QUIET}, with their number. If
 * the store is unavailable at the end of that time, the outage is logged then. Thread-safe.
 */
final class OutageLog implements OutageListener {
  static final Duration QUIET = Duration.ofSeconds(10);

  private final String store;
  private final Logger log;
  private final LongSupplier nanos;
  private final Executor later;
  private boolean reached; // this and the rest guarded by this
  private boolean unavailable;
  private boolean logged;
  private boolean checkScheduled;
  private boolean everLogged;
  private long lastLoggedNanos;
  private int outages;
  private String problem = "";

  /**
   * Creates a log for a store.
   *
   * @param store the kind and address of the store, without secrets
   */
  OutageLog(String store) {
    this(
        store,
        LoggerFactory.getLogger(OutageLog.class),
        System::nanoTime,
        CompletableFuture.delayedExecutor(QUIET.toMillis(), TimeUnit.MILLISECONDS));
  }

  /**
   * Creates a log with its own clock and timer, for tests.
   *
   * @param later runs a task after {@link #QUIET}
   */
  OutageLog(String store, Logger log, LongSupplier nanos, Executor later) {
    this.store = store;
    this.log = log;
    this.nanos = nanos;
    this.later = later;
  }

  /** Records that the store has been available, which changes the wording of later messages. */
  synchronized void reached() {
    reached = true;
  }

  @Override
  public synchronized void opened(String message) {
    unavailable = true;
    problem = message.strip().replaceAll("\\s*\\R\\s*", " "); // that of a cluster has several lines
    outages++;
    boolean quiet = everLogged && nanos.getAsLong() - lastLoggedNanos < QUIET.toNanos();
    if (!quiet) {
      logOutage();
    } else if (!checkScheduled) {
      checkScheduled = true;
      later.execute(this::logIfStillUnavailable);
    }
  }

  @Override
  public synchronized void closed(long outageMicros) {
    unavailable = false;
    if (!logged) return;
    logged = false;
    log.info(
        "{} {} after {} ms; decisions use it again",
        store,
        reached ? "is available again" : "is available",
        outageMicros / 1_000);
    reached = true;
  }

  private synchronized void logIfStillUnavailable() {
    checkScheduled = false;
    if (unavailable && !logged) logOutage();
  }

  private void logOutage() {
    var count = outages > 1 ? " (%d outages since the last message)".formatted(outages) : "";
    log.warn(
        "{} {}{}: {}; decisions use each rule's on-store-failure policy until it recovers",
        store,
        reached ? "is unavailable" : "can't be reached",
        count,
        problem);
    logged = true;
    everLogged = true;
    lastLoggedNanos = nanos.getAsLong();
    outages = 0;
  }
}
