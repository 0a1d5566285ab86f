package io.headgate.store;

import io.headgate.testkit.StoreContract;

class MemoryStoreTest extends StoreContract {
  @Override
  protected Store open(Ticker ticker) {
    return MemoryStore.create(ticker, 100_000);
  }
}
