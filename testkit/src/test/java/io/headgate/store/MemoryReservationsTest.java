package io.headgate.store;

import io.headgate.testkit.ReservationContract;

class MemoryReservationsTest extends ReservationContract {
  @Override
  protected Store open(Ticker ticker) {
    return MemoryStore.create(ticker, MemoryStore.DEFAULT_MAX_KEYS);
  }
}
