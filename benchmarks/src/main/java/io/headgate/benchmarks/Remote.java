package io.headgate.benchmarks;

import java.util.concurrent.CompletionStage;

/** A limiter with its state in another process. */
public interface Remote extends AutoCloseable {
  /** Checks a request for the key of this number; the result is whether it passes. */
  CompletionStage<Boolean> check(int key);

  @Override
  void close();
}
