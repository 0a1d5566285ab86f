package io.headgate.server.http.stats;

import io.headgate.server.rules.RuleModified;
import io.headgate.server.rules.RuleRepository;
import io.headgate.server.rules.RuleRepositoryException;
import java.time.Duration;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * The last change of each rule, read from the repository once for each revision. Thread-safe.
 *
 * <p>While the repository is unavailable, the last known changes are returned, and the repository
 * is queried at most once in {@link #RETRY_INTERVAL}.
 */
final class LastChanges {
  private static final Duration RETRY_INTERVAL = Duration.ofSeconds(10);

  private final RuleRepository repository;
  private final LongSupplier nanos;
  private Map<String, RuleModified> known = Map.of(); // guarded by this, like the next fields
  private long revision; // of the known changes; 0 if there are none
  private boolean failed;
  private long failedAt;

  /**
   * @param nanos as {@link System#nanoTime}
   */
  LastChanges(RuleRepository repository, LongSupplier nanos) {
    this.repository = repository;
    this.nanos = nanos;
  }

  /** Returns the last change of each rule, by id. May block on a database. */
  synchronized Map<String, RuleModified> all() {
    long current = repository.inForce().number();
    boolean waits = failed && nanos.getAsLong() - failedAt < RETRY_INTERVAL.toNanos();
    if (current == revision || waits) return known;
    try {
      known = Map.copyOf(repository.lastChanges());
      revision = current;
      failed = false;
    } catch (RuleRepositoryException e) {
      failed = true;
      failedAt = nanos.getAsLong();
    }
    return known;
  }
}
