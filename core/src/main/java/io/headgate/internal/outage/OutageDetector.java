package io.headgate.internal.outage;

import io.headgate.store.OutageListener;
import io.headgate.store.PlanResult;
import io.headgate.store.Source;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import io.headgate.store.Ticker;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Detects the begin and the end of an outage.
 *
 * <p>Records the successes and failures of requests in a {@link CircuitBreaker}. When the breaker
 * opens, starts probing and stops the reports of local admissions. When a probe succeeds, closes
 * the breaker and resumes the reports. A single failure starts a probe too, while the breaker is
 * still closed. Notifies the listener of failures and of both transitions.
 *
 * <p>Thread-safe. Without failures, {@link #isOpen} and {@link #succeeded()} are one volatile read
 * each.
 */
final class OutageDetector {
  private final Ticker ticker;
  private final OutageListener listener;
  private final LocalAdmissions admissions;
  private final ProbeSchedule prober;
  private final CircuitBreaker breaker = new CircuitBreaker();
  private final ReentrantLock transitions = new ReentrantLock(); // opening, closing, notification
  private boolean notifiedOpen; // guarded by transitions
  private volatile String lastProblem = "";

  /**
   * Creates a detector for an available store.
   *
   * @param admissions reported while the breaker is closed
   * @param probes creates the schedule of probes, given the listener for failed probes
   */
  OutageDetector(
      Ticker ticker,
      OutageListener listener,
      LocalAdmissions admissions,
      Function<Consumer<Throwable>, ProbeSchedule> probes) {
    this.ticker = ticker;
    this.listener = listener;
    this.admissions = admissions;
    this.prober = probes.apply(this::probeFailed);
  }

  /** Returns whether the circuit breaker is open, so that no requests may be sent to the store. */
  boolean isOpen() {
    return breaker.isOpen();
  }

  /**
   * Returns whether the store is unavailable, so that failure policies decide. While the breaker is
   * open and this is false, the store may only be late.
   */
  boolean isOutage() {
    return breaker.isOpen() && breaker.isOutage(ticker.micros());
  }

  /** Returns the kind of the latest failure since the last success; OTHER if there was none. */
  StoreException.Kind latestKind() {
    return breaker.latestKind();
  }

  /** Notifies the listener that a request was decided without its reply, which is late. */
  void decidedLate(boolean allowed) {
    notifyListener(() -> listener.decidedLate(allowed));
  }

  /** Returns the time of the first failure of an outage; empty while the breaker is closed. */
  OptionalLong openSince() {
    return breaker.openSince();
  }

  /** Returns the last failure, of this outage or an earlier one. */
  Optional<String> lastProblem() {
    var text = lastProblem;
    return text.isEmpty() ? Optional.empty() : Optional.of(text);
  }

  /**
   * Returns the state of the outage. Denied callers should retry after the next probe, and not
   * before the minimum pause between two probes: no earlier retry can succeed.
   */
  Fallback.Outage outage() {
    long now = ticker.micros();
    long retryAfter = Math.max(BackgroundProber.MIN_MICROS, prober.dueAt() - now);
    return new Fallback.Outage(breaker.outageDuration(now), retryAfter);
  }

  /** Records that the store has executed a request. */
  void succeeded() {
    breaker.succeeded();
  }

  /**
   * Records a success if the store itself decided; a cached decision does not prove anything.
   *
   * @return the result
   */
  PlanResult succeeded(PlanResult result) {
    if (result.source() == Source.STORE) breaker.succeeded();
    return result;
  }

  /**
   * Records that the store failed to execute a request.
   *
   * @return the failure as a {@link StoreException}
   */
  StoreException failed(Throwable problem) {
    var failure = asFailure(problem);
    var message = failure.kind().label() + ": " + failure.getMessage();
    lastProblem = message;
    notifyListener(() -> listener.failed(failure.kind()));
    if (breaker.failed(failure.kind(), ticker.micros(), missedDeadline(failure))) opened(message);
    else if (breaker.hasFailures()) startProbing();
    return failure;
  }

  private static long missedDeadline(StoreException failure) {
    long micros = failure.callDeadline().toNanos() / 1_000;
    return micros == 0 ? Long.MAX_VALUE : micros;
  }

  static StoreException asFailure(Throwable problem) {
    return problem instanceof StoreException known
        ? known
        : new StoreException(Kind.OTHER, "the store failed unexpectedly: " + problem, problem);
  }

  /**
   * Executes an operation of the store that no failure policy can replace, and records whether it
   * succeeded. Fails with a {@link StoreException} if the store fails, and at once while the
   * breaker is open.
   */
  boolean execute(BooleanSupplier operation, String errorMessage) {
    if (breaker.isOpen()) {
      throw new StoreException(
          breaker.latestKind(),
          errorMessage + ": the store is unavailable; try again when it is available",
          null);
    }
    try {
      boolean result = operation.getAsBoolean();
      breaker.succeeded();
      return result;
    } catch (RuntimeException e) {
      throw failed(e);
    }
  }

  /** Probes a store that has failed while the circuit breaker is still closed. */
  private void startProbing() {
    try {
      prober.start(breaker::missedDeadline, this::recovered);
    } catch (OutOfMemoryError e) { // no thread; requests still show whether the store works
      lastProblem = "cannot start a probe thread: " + e;
    }
  }

  private void opened(String message) {
    transitions.lock();
    try {
      if (!breaker.isOpen()) return; // a concurrent probe has succeeded
      prober.start(breaker::missedDeadline, this::recovered);
      admissions.stop();
      if (!notifiedOpen) notifyListener(() -> listener.opened(message));
      notifiedOpen = true;
    } catch (OutOfMemoryError e) { // without probes the breaker must not stay open
      breaker.close();
      lastProblem = "cannot start a probe thread: " + e;
    } finally {
      transitions.unlock();
    }
  }

  private void recovered() {
    transitions.lock();
    try {
      long duration = breaker.outageDuration(ticker.micros());
      breaker.close();
      if (notifiedOpen) notifyListener(() -> listener.closed(duration));
      notifiedOpen = false;
      admissions.start();
    } finally {
      transitions.unlock();
    }
  }

  private void probeFailed(Throwable problem) {
    lastProblem = "probe: " + (problem instanceof StoreException ? problem.getMessage() : problem);
  }

  /** Notifies the listener. Its failures must not fail the request. */
  private static void notifyListener(Runnable event) {
    try {
      event.run();
    } catch (RuntimeException e) {
      // A listener for logs and metrics can't be notified of its own failure.
    }
  }

  /** Stops probing permanently. */
  void end() {
    prober.end();
  }
}
