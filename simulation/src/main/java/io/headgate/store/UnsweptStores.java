package io.headgate.store;

/** Creates memory stores without the sweeper thread, and breaks them for mutants. */
public final class UnsweptStores {
  private UnsweptStores() {}

  /** Creates a store with at most {@code maxKeys} counters. */
  public static MemoryStore create(Ticker ticker, int maxKeys) {
    return new MemoryStore(new CellTable(maxKeys), ticker, () -> {});
  }

  /** Drops the history of returns to buckets, as if it had not been stored. */
  public static void dropReturns(ReservationStore reservations) {
    ((MemoryReservationStore) reservations).sweepReturns(Long.MAX_VALUE);
  }
}
