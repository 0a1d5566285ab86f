package io.headgate.benchmarks;

import java.util.concurrent.CompletionStage;

/** A limiter that keeps its states in Redis. */
interface Remote extends AutoCloseable {
  /** Whether a request for the key of this number may pass. */
  CompletionStage<Boolean> ask(int key);

  @Override
  void close();
}
