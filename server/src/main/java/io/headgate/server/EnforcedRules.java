package io.headgate.server;

import io.headgate.RateLimiter;
import io.headgate.server.rules.RuleRepository;
import io.headgate.server.rules.RulesFile;
import io.headgate.store.Store;
import io.headgate.store.Ticker;
import java.util.Optional;

/**
 * The rate limiter of a service and the repository whose rules it enforces. Every revision that the
 * repository activates replaces the rules of the limiter.
 */
final class EnforcedRules implements AutoCloseable {
  private final RateLimiter limiter;
  private final RuleRepository repository;
  private final Optional<RulesFile> file;
  private final boolean owned;

  private EnforcedRules(
      RateLimiter limiter, RuleRepository repository, Optional<RulesFile> file, boolean owned) {
    this.limiter = limiter;
    this.repository = repository;
    this.file = file;
    this.owned = owned;
    repository.follow(snapshot -> limiter.replaceRules(snapshot.rules()));
  }

  /**
   * Opens the repository and creates a limiter. Closing the result closes both, and the store.
   *
   * @param store is closed if the repository can't be opened
   */
  static EnforcedRules open(RuleSource source, Store store, Ticker ticker) {
    try {
      var repository = source.open(store);
      var limiter = RateLimiter.with(store, repository.inForce().rules(), ticker);
      return new EnforcedRules(limiter, repository, source.file(), true);
    } catch (RuntimeException e) {
      store.close();
      throw e;
    }
  }

  /** Enforces the rules of a repository. Closing the result closes neither of them. */
  static EnforcedRules of(RateLimiter limiter, RuleRepository repository) {
    return new EnforcedRules(limiter, repository, Optional.empty(), false);
  }

  RateLimiter limiter() {
    return limiter;
  }

  RuleRepository repository() {
    return repository;
  }

  /** Stops watching the rule file, so that the rules do not change while the service stops. */
  void stopWatching() {
    file.ifPresent(RulesFile::close);
  }

  @Override
  public void close() {
    stopWatching();
    if (!owned) return;
    repository.close();
    limiter.close();
  }
}
