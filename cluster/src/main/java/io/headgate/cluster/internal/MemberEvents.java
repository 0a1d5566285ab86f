package io.headgate.cluster.internal;

import io.headgate.internal.consistency.ConsistencyStore;
import io.headgate.internal.script.InstanceCount;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Forwards the changes that members publish to the store that caches counters, and counts the
 * members that divide limits while the cluster is unavailable. Thread-safe.
 */
public final class MemberEvents implements GridNode.Listener {
  private final InstanceCount outageCount =
      new InstanceCount(Duration.ofSeconds(6), System.nanoTime());
  private final ConcurrentHashMap<String, List<Consumer<String>>> topics =
      new ConcurrentHashMap<>();
  private volatile @Nullable ConsistencyStore store;
  private volatile @Nullable Instant minoritySince;

  /** Sets the store that caches counters. */
  public void forwardTo(ConsistencyStore to) {
    store = to;
  }

  /** Returns the number of members that divide limits while the cluster is unavailable. */
  public int outageCount() {
    return outageCount.count();
  }

  /** Returns whether the members that are present may decide. */
  public boolean isMajority() {
    return minoritySince == null;
  }

  /** Returns since when the members that are present may not decide; empty if they may. */
  public Optional<Instant> minoritySince() {
    return Optional.ofNullable(minoritySince);
  }

  @Override
  public void counterReset(String name) {
    var to = store;
    if (to != null) to.counterReset(name);
  }

  @Override
  public void permitsReturned(String name) {
    var to = store;
    if (to != null) to.permitsReturned(name);
  }

  /** Passes each later message of a topic to a listener. */
  void listen(String topic, Consumer<String> listener) {
    topics.computeIfAbsent(topic, first -> new CopyOnWriteArrayList<>()).add(listener);
  }

  @Override
  public void message(String topic, String text) {
    for (var each : topics.getOrDefault(topic, List.of())) each.accept(text);
  }

  @Override
  public void disconnected() {
    var to = store;
    if (to != null) to.disconnected();
  }

  @Override
  public void subscribed() {
    var to = store;
    if (to != null) to.subscribed();
  }

  @Override
  public void members(int present, boolean isMajority) {
    if (isMajority) minoritySince = null;
    else if (minoritySince == null) minoritySince = Instant.now();
    if (isMajority) outageCount.record(present, System.nanoTime());
    else outageCount.heartbeatFailed(System.nanoTime());
  }
}
