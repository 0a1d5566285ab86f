package io.headgate.server.store;

import io.headgate.store.OutageListener;
import io.headgate.store.StoreException;

/** Forwards each event to two listeners. */
record CompositeListener(OutageListener first, OutageListener second) implements OutageListener {
  @Override
  public void failed(StoreException.Kind kind) {
    first.failed(kind);
    second.failed(kind);
  }

  @Override
  public void decidedLate(boolean allowed) {
    first.decidedLate(allowed);
    second.decidedLate(allowed);
  }

  @Override
  public void opened(String message) {
    first.opened(message);
    second.opened(message);
  }

  @Override
  public void closed(long outageMicros) {
    first.closed(outageMicros);
    second.closed(outageMicros);
  }
}
