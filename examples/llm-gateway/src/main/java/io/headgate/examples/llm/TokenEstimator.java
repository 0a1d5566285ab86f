package io.headgate.examples.llm;

import java.nio.charset.StandardCharsets;

/** Estimates the number of tokens of a text. A tokenizer of the model is more exact. */
@FunctionalInterface
public interface TokenEstimator {
  /** Returns the estimate, at least 0. */
  long tokens(String text);

  /** Counts a token for every four bytes, rounded up: somewhat more than English text has. */
  static TokenEstimator byBytes() {
    return text -> Math.ceilDiv(text.getBytes(StandardCharsets.UTF_8).length, 4L);
  }
}
