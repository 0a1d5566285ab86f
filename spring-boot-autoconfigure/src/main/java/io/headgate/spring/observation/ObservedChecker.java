package io.headgate.spring.observation;

import io.headgate.CheckResult;
import io.headgate.http.HeldSlots;
import io.headgate.http.RequestChecker;
import io.headgate.rule.Request;
import io.headgate.spring.web.ContextualChecker;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.contextpropagation.ObservationThreadLocalAccessor;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Records an observation of each check. It does not include the delay of a request in a queue, and
 * not the request itself. Without a handler in the registry it only delegates. Thread-safe.
 */
final class ObservedChecker implements ContextualChecker {
  private static final CheckObservationConvention DEFAULT = new DefaultCheckObservationConvention();

  private final RequestChecker checker;
  private final ObservationRegistry registry;
  private final @Nullable CheckObservationConvention convention;

  /**
   * @param convention that of the application; null for the default
   */
  ObservedChecker(
      RequestChecker checker,
      ObservationRegistry registry,
      @Nullable CheckObservationConvention convention) {
    this.checker = checker;
    this.registry = registry;
    this.convention = convention;
  }

  @Override
  public boolean isRemote() {
    return checker.isRemote();
  }

  @Override
  public @Nullable HeldSlots slots(CheckResult result) {
    return checker.slots(result);
  }

  @Override
  public CheckResult check(Request request) {
    if (registry.isNoop()) return checker.check(request);
    var context = new CheckObservationContext(request);
    return observation(context)
        .observe(() -> {
          var result = checker.check(request);
          context.setResult(result);
          return result;
        });
  }

  @Override
  public CompletionStage<CheckResult> checkAsync(Request request) {
    return checkAsync(request, null);
  }

  @Override
  public Object callerKey() {
    return ObservationThreadLocalAccessor.KEY;
  }

  @Override
  public CompletionStage<CheckResult> checkAsync(Request request, @Nullable Object caller) {
    if (registry.isNoop()) return checker.checkAsync(request);
    var context = new CheckObservationContext(request);
    var observation = observation(context);
    if (caller instanceof Observation parent) observation.parentObservation(parent);
    observation.start();
    CompletionStage<CheckResult> decided;
    try {
      decided = observation.scoped(() -> checker.checkAsync(request)); // records an exception
    } catch (RuntimeException e) {
      observation.stop();
      throw e;
    }
    return decided.whenComplete((result, failure) -> end(observation, context, result, failure));
  }

  private static void end(
      Observation observation,
      CheckObservationContext context,
      @Nullable CheckResult result,
      @Nullable Throwable failure) {
    if (result != null) context.setResult(result);
    if (failure != null) observation.error(causeOf(failure));
    observation.stop();
  }

  private static Throwable causeOf(Throwable failure) {
    var cause = failure;
    while (cause instanceof CompletionException && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  private Observation observation(CheckObservationContext context) {
    return CheckObservationDocumentation.CHECK.observation(
        convention, DEFAULT, () -> context, registry);
  }
}
