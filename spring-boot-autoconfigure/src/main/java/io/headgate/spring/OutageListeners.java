package io.headgate.spring;

import io.headgate.store.OutageListener;
import io.headgate.store.StoreException;
import java.util.List;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Logs outages of the store and forwards each event to the listeners of the application.
 * Thread-safe.
 */
record OutageListeners(List<OutageListener> listeners) implements OutageListener {
  private static final Log LOG = LogFactory.getLog(OutageListeners.class);

  OutageListeners {
    listeners = List.copyOf(listeners);
  }

  @Override
  public void failed(StoreException.Kind kind) {
    for (var listener : listeners) listener.failed(kind);
  }

  @Override
  public void opened(String message) {
    LOG.warn(
        "The store is unavailable: %s; decisions use each rule's on-store-failure policy until it recovers"
            .formatted(message.strip().replaceAll("\\s*\\R\\s*", " ")));
    for (var listener : listeners) listener.opened(message);
  }

  @Override
  public void closed(long outageMicros) {
    LOG.info(
        "The store is available again after %d ms; decisions use it again"
            .formatted(outageMicros / 1_000));
    for (var listener : listeners) listener.closed(outageMicros);
  }
}
