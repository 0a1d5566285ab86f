package io.headgate.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Describes a store that can't be used, and how to correct it. */
final class StoreStartFailureAnalyzer extends AbstractFailureAnalyzer<StoreStartException> {
  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, StoreStartException cause) {
    return new FailureAnalysis(cause.getMessage(), cause.action(), rootFailure);
  }
}
