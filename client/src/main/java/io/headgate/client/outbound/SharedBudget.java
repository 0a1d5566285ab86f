package io.headgate.client.outbound;

import io.headgate.Decision;
import java.net.http.HttpRequest;
import java.util.concurrent.CompletionStage;

/**
 * A limit that several instances share, which each outgoing request must pass. {@link
 * io.headgate.RateLimiter#checkAsync} and {@link io.headgate.client.HeadgateClient#checkAsync} fit:
 *
 * {@snippet file="io/headgate/client/ClientExamplesTest.java" region="budget"}
 */
@FunctionalInterface
public interface SharedBudget {
  /**
   * Decides a request and charges it if it is allowed. Called again after the retry time of a
   * denial.
   */
  CompletionStage<Decision> check(HttpRequest request);
}
