package io.headgate.spring;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Describes invalid rules by line, field, value and remedy. */
final class InvalidRulesFailureAnalyzer extends AbstractFailureAnalyzer<InvalidRulesException> {
  @Override
  protected FailureAnalysis analyze(Throwable rootFailure, InvalidRulesException cause) {
    return new FailureAnalysis(
        "The rules of Headgate in %s are not valid:%n%n%s"
            .formatted(cause.source(), cause.problems().indent(4).stripTrailing()),
        cause.action(),
        rootFailure);
  }
}
