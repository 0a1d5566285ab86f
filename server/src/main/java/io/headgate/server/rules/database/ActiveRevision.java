package io.headgate.server.rules.database;

import io.headgate.server.rules.RuleSnapshot;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The snapshot in force on this instance and its listeners. Moves forward only. Thread-safe. */
final class ActiveRevision {
  private static final Logger LOG = LoggerFactory.getLogger(ActiveRevision.class);

  private final List<Consumer<RuleSnapshot>> listeners = new ArrayList<>(); // guarded by this
  private volatile StoredSnapshot snapshot;

  ActiveRevision(StoredSnapshot first) {
    this.snapshot = first;
  }

  StoredSnapshot get() {
    return snapshot;
  }

  synchronized void follow(Consumer<RuleSnapshot> listener) {
    listeners.add(listener);
    listener.accept(snapshot.snapshot());
  }

  /**
   * Activates the snapshot and notifies the listeners, unless it is older than the active one.
   *
   * @return whether it was activated
   */
  synchronized boolean activate(StoredSnapshot next) {
    if (!next.replaces(snapshot)) return false;
    snapshot = next;
    for (var listener : listeners) {
      try {
        listener.accept(next.snapshot());
      } catch (RuntimeException e) {
        LOG.error("a listener failed to apply revision {}", next.number(), e);
      }
    }
    return true;
  }
}
