package io.headgate;

import io.headgate.load.CallOutcome;
import io.headgate.store.Ticker;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** Runs a call that holds a slot, and releases the slot with the outcome and the duration. */
final class MeasuredCall {
  static <T extends @Nullable Object> T run(
      Callable<T> call, CallClassifier<? super T> classifier, Slot slot, Ticker ticker)
      throws Exception {
    long start = ticker.micros();
    T result;
    try {
      result = call.call();
    } catch (Throwable e) {
      var duration = since(start, ticker);
      slot.release(classify(classifier, null, e), duration);
      throw e;
    }
    var duration = since(start, ticker);
    slot.release(classify(classifier, result, null), duration);
    return result;
  }

  private static Duration since(long start, Ticker ticker) {
    return Duration.of(Math.max(0, ticker.micros() - start), ChronoUnit.MICROS);
  }

  /** The result of the call must not be lost because the classifier fails. */
  private static <T extends @Nullable Object> CallOutcome classify(
      CallClassifier<T> classifier, @Nullable T result, @Nullable Throwable failure) {
    try {
      return classifier.classify(result, failure);
    } catch (RuntimeException e) {
      return CallOutcome.ERROR;
    }
  }

  private MeasuredCall() {}
}
