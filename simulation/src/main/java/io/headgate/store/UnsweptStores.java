package io.headgate.store;

/** Creates memory stores without the sweeper thread. */
public final class UnsweptStores {
  private UnsweptStores() {}

  /** Creates a store with at most {@code maxKeys} counters. */
  public static MemoryStore create(Ticker ticker, int maxKeys) {
    return new MemoryStore(new CellTable(maxKeys), ticker, () -> {});
  }
}
