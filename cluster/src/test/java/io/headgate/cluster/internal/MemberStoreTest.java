package io.headgate.cluster.internal;

import io.headgate.internal.script.CounterKeys;
import io.headgate.internal.script.ScriptExecutor;
import io.headgate.store.Store;
import io.headgate.store.Ticker;
import io.headgate.testkit.StoreContract;
import io.headgate.testkit.TestEffort;
import java.time.Duration;

/** Runs the contract of stores on a cluster of one member. */
class MemberStoreTest extends StoreContract {
  @Override
  protected int historyLength() {
    return TestEffort.of(500, 1_000); // the arithmetic is that of the memory store
  }

  @Override
  protected Store open(Ticker ticker) {
    return ScriptExecutor.withClock(
        SharedMember.emptyConnection(),
        new CounterKeys(""),
        Duration.ofSeconds(10),
        ticker::micros);
  }
}
