package io.headgate.grpc;

import io.headgate.RateLimiter;
import io.headgate.client.HeadgateClient;
import io.headgate.client.RemoteResult;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import java.util.Optional;
import java.util.concurrent.CompletionStage;

/** Decides calls: a limiter of this process, or a service. Must be safe for several threads. */
@FunctionalInterface
public interface CallLimiter {
  /**
   * Decides a call, and charges it if it is allowed.
   *
   * @return the admission; a failed stage closes the call with {@code UNAVAILABLE}
   */
  CompletionStage<Admission> admit(Request request);

  /** Returns a limiter of this process. */
  static CallLimiter of(RateLimiter limiter) {
    return request ->
        limiter
            .checkForResultAsync(request)
            .thenApply(result ->
                new Admission(
                    result.decision(),
                    result.rule().map(Rule::id),
                    result.slotId().map(slot -> SlotRelease.of(limiter, slot))));
  }

  /** Returns a limiter at a service. Needs the artifact {@code headgate-client}. */
  static CallLimiter of(HeadgateClient client) {
    return request ->
        client.checkForResultAsync(request).thenApply(result -> admission(client, result));
  }

  private static Admission admission(HeadgateClient client, RemoteResult result) {
    Optional<SlotRelease> release = result.slotId().map(slot -> SlotRelease.of(client, slot));
    return new Admission(result.decision(), result.rule(), release);
  }
}
