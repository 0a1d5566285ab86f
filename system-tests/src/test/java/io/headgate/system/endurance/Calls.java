package io.headgate.system.endurance;

import java.util.SplittableRandom;
import java.util.concurrent.CompletionStage;

/** Makes calls of one protocol over a connection that stays open. */
interface Calls extends AutoCloseable {
  /**
   * Makes one call, or a pair such as to acquire and to release. Confined to one thread.
   *
   * @return fails if the call is refused or its answer is not the one expected
   */
  CompletionStage<Reply> call(SplittableRandom random);

  /** Returns the number of connections opened so far; 0 if the protocol's client hides it. */
  default int connections() {
    return 0;
  }

  /** Returns how many calls there may be at once. */
  default int maxInFlight() {
    return 64;
  }

  @Override
  void close();
}
