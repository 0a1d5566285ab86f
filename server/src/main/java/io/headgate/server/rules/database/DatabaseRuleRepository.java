package io.headgate.server.rules.database;

import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.server.rules.ChangeInfo;
import io.headgate.server.rules.ExpectedRevision;
import io.headgate.server.rules.Revision;
import io.headgate.server.rules.RuleModified;
import io.headgate.server.rules.RuleRepository;
import io.headgate.server.rules.RuleRepositoryException.Unavailable;
import io.headgate.server.rules.RuleRevision;
import io.headgate.server.rules.RuleSnapshot;
import io.headgate.server.rules.RulesFile;
import io.headgate.server.rules.SeedFile;
import io.headgate.server.rules.database.RuleTransactions.ChangeResult;
import io.headgate.store.InstanceChannel;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A repository in a database, shared by all instances that use the same database. Keeps serving the
 * last known rules while the database is unavailable. Thread-safe.
 */
public final class DatabaseRuleRepository implements RuleRepository {
  private static final Logger LOG = LoggerFactory.getLogger(DatabaseRuleRepository.class);
  private static final long LOCK_TIMEOUT_SECONDS = 10;

  private final Database database;
  private final RuleTransactions transactions;
  private final ActiveRevision active;
  private final RevisionPoller poller;
  private volatile Optional<RulesFile> seedFile = Optional.empty();
  private volatile @Nullable FileComparison fileComparison;

  /** The result of comparing the rules in force with those of the file. */
  private record FileComparison(RuleSnapshot snapshot, RuleSet rules, Optional<String> ignored) {}

  /** Serializes the changes of this instance, so that waiting changes occupy no connection. */
  private final ReentrantLock changeLock = new ReentrantLock(true);

  /**
   * Settings of a repository.
   *
   * @param snapshot file that stores the last known rules
   * @param pollInterval how often to query the database for a newer revision
   * @param broadcast notifies other instances, if they share a Redis
   */
  public record Settings(
      DatabaseAddress database,
      Path snapshot,
      Duration pollInterval,
      Optional<InstanceChannel> broadcast,
      InstantSource clock) {}

  private DatabaseRuleRepository(Database database, Settings settings, Seed seed) {
    this.database = database;
    this.transactions = new RuleTransactions(database, settings.clock());
    var snapshotFile = new SnapshotFile(settings.snapshot());
    var start = start(seed, snapshotFile);
    this.active = new ActiveRevision(start.snapshot);
    this.poller =
        new RevisionPoller(
            transactions,
            active,
            seed,
            snapshotFile,
            settings.broadcast().map(RevisionPublisher::new),
            settings.pollInterval(),
            start.problem);
  }

  /**
   * Opens the repository, from the snapshot file if the database is unavailable.
   *
   * @throws Unavailable if neither can be read, or if another process has the database file open
   */
  public static DatabaseRuleRepository open(Settings settings, Seed seed) {
    var database = new Database(settings.database());
    try {
      var repository = new DatabaseRuleRepository(database, settings, seed);
      repository.poller.start();
      return repository;
    } catch (RuntimeException e) {
      database.close();
      throw e;
    }
  }

  /**
   * Checks that no other process has the file of an embedded database open. Does not open the
   * database.
   *
   * @throws Unavailable if one has
   */
  public static void requireFree(DatabaseAddress address) {
    if (DatabaseProbe.isOpenElsewhere(address))
      throw new Unavailable(Database.inUse(address), null);
  }

  /** The initial snapshot, and why it is not from the database if it is not. */
  private record Start(StoredSnapshot snapshot, Optional<String> problem) {}

  private Start start(Seed seed, SnapshotFile snapshotFile) {
    try {
      return new Start(transactions.initialize(seed), Optional.empty());
    } catch (Unavailable e) {
      if (Database.isInUse(e)) throw e;
      try {
        var snapshot = snapshotFile.read();
        LOG.warn(
            "{}; starting with revision {} from {}",
            e.getMessage(),
            snapshot.number(),
            snapshotFile.file());
        return new Start(snapshot, Optional.of(String.valueOf(e.getMessage())));
      } catch (IOException unreadable) {
        String advice =
            Database.isUnreachable(e) ? "; start the database, or correct --database" : "";
        throw new Unavailable(
            "%s; and %s%s".formatted(e.getMessage(), unreadable.getMessage(), advice), e);
      }
    }
  }

  @Override
  public RuleSnapshot inForce() {
    return active.get().snapshot();
  }

  @Override
  public Condition condition() {
    return new Condition(
        database.displayName(),
        Optional.empty(),
        poller.problem(),
        seedFile.flatMap(this::ignored),
        database.isShared());
  }

  /** Compares the rules only if either has changed, since this is called every second. */
  @SuppressWarnings("ReferenceEquality")
  private Optional<String> ignored(RulesFile file) {
    var snapshot = inForce();
    var rules = file.latestRules();
    var last = fileComparison;
    if (last == null || last.snapshot != snapshot || last.rules != rules) {
      last = new FileComparison(snapshot, rules, SeedFile.ignored(file, snapshot));
      fileComparison = last;
    }
    return last.ignored;
  }

  /**
   * Loads the rules of a file, now and after each change, until they are changed by other means.
   *
   * @param pollInterval how often to check the file for changes
   */
  public void seedFrom(RulesFile file, Duration pollInterval) {
    seedFile = Optional.of(file);
    SeedFile.follow(this, file, pollInterval);
  }

  @Override
  public void follow(Consumer<RuleSnapshot> listener) {
    active.follow(listener);
  }

  @Override
  public RuleSnapshot latest() {
    return transactions.latest(active.get()).snapshot();
  }

  @Override
  public RuleSnapshot at(long number) {
    return transactions.at(number, active.get());
  }

  @Override
  public List<Revision> history(long before, int limit) {
    return transactions.history(before, limit);
  }

  @Override
  public List<RuleRevision> history(String rule, long before, int limit) {
    return transactions.history(rule, before, limit);
  }

  @Override
  public Map<String, RuleModified> lastChanges() {
    return transactions.lastChanges();
  }

  @Override
  public RuleSnapshot change(
      ExpectedRevision expected, ChangeInfo changeInfo, UnaryOperator<List<Rule>> edit) {
    return serialized(() -> transactions.change(active.get(), expected, changeInfo, edit));
  }

  @Override
  public RuleSnapshot restore(long number, ExpectedRevision expected, ChangeInfo changeInfo) {
    return serialized(() -> transactions.restore(active.get(), number, expected, changeInfo));
  }

  private RuleSnapshot serialized(Supplier<ChangeResult> change) {
    try {
      if (!changeLock.tryLock(LOCK_TIMEOUT_SECONDS, TimeUnit.SECONDS)) throw changesInProgress();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw changesInProgress();
    }
    try {
      var result = change.get();
      active.activate(result.latest());
      if (result.isNew()) poller.publish(result.latest()); // even if the poller found it first
      return result.latest().snapshot();
    } finally {
      changeLock.unlock();
    }
  }

  private Unavailable changesInProgress() {
    return new Unavailable(
        "other changes to the rules in %s are still in progress; nothing was changed; retry"
            .formatted(database.displayName()),
        null);
  }

  @Override
  public void close() {
    poller.close();
    database.close();
  }
}
