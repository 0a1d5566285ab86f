package io.headgate.internal.script;

import io.headgate.testkit.StoreContract;
import io.headgate.testkit.TestEffort;

/**
 * The store contract with fewer repetitions. Redis executes one script at a time, so that the
 * callers compete for the order of their requests only, and each request is a round trip.
 */
public abstract class RedisStoreContract extends StoreContract {
  @Override
  protected int concurrentRequests(int requests) {
    return TestEffort.of(requests / 2, requests);
  }
}
