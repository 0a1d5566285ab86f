package io.headgate.server.rules.database;

import io.headgate.redis.Broadcast;
import io.headgate.rule.Rule;
import io.headgate.server.rules.ChangeInfo;
import io.headgate.server.rules.Revision;
import io.headgate.server.rules.RuleRepository;
import io.headgate.server.rules.RuleRepositoryException.Away;
import io.headgate.server.rules.RuleSnapshot;
import io.headgate.server.rules.database.RuleTransactions.Done;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The book of a fleet: every instance that has the same database has the same rules. */
public final class DatabaseRuleRepository implements RuleRepository {
  private static final Logger LOG = LoggerFactory.getLogger(DatabaseRuleRepository.class);
  private static final long PATIENCE_SECONDS = 10;

  private final Database database;
  private final RuleTransactions records;
  private final ActiveRevision shelf;
  private final RevisionPoller following;

  /** Changes of this instance wait here, where they keep no connection from others. */
  private final ReentrantLock turn = new ReentrantLock(true);

  /**
   * @param copy the file that keeps the last good rules
   * @param look how often to ask for a newer revision
   * @param bulletin the way to other instances, where they share a Redis
   */
  public record Terms(
      DatabaseAddress database,
      Path copy,
      Duration look,
      Optional<Broadcast> bulletin,
      InstantSource clock) {}

  private DatabaseRuleRepository(Database database, Terms terms, Seed seed) {
    this.database = database;
    this.records = new RuleTransactions(database, terms.clock());
    var lastGood = new SnapshotFile(terms.copy());
    var start = start(seed, lastGood);
    this.shelf = new ActiveRevision(start.copy);
    this.following =
        new RevisionPoller(
            records,
            shelf,
            seed,
            lastGood,
            terms.bulletin().map(RevisionPublisher::new),
            terms.look(),
            start.problem);
  }

  /**
   * Opens the book, or the copy that there is of it while the database is away.
   *
   * @throws Away if there is neither, or another process has the file
   */
  public static DatabaseRuleRepository open(Terms terms, Seed seed) {
    var database = new Database(terms.database());
    try {
      var book = new DatabaseRuleRepository(database, terms, seed);
      book.following.start();
      return book;
    } catch (RuntimeException e) {
      database.close();
      throw e;
    }
  }

  /** What to begin with, and why it is not what the database has. */
  private record Start(StoredSnapshot copy, Optional<String> problem) {}

  private Start start(Seed seed, SnapshotFile lastGood) {
    try {
      return new Start(records.begin(seed), Optional.empty());
    } catch (Away e) {
      if (Database.isInUse(e)) throw e;
      try {
        var copy = lastGood.read();
        LOG.warn(
            "{}; starting with revision {} from {}",
            e.getMessage(),
            copy.number(),
            lastGood.file());
        return new Start(copy, Optional.of(String.valueOf(e.getMessage())));
      } catch (IOException none) {
        throw new Away(
            "%s; and %s; start the database, or correct --database"
                .formatted(e.getMessage(), none.getMessage()),
            e);
      }
    }
  }

  @Override
  public RuleSnapshot inForce() {
    return shelf.copy().edition();
  }

  @Override
  public Condition condition() {
    return new Condition(database.place(), Optional.empty(), following.problem());
  }

  @Override
  public void follow(Consumer<RuleSnapshot> use) {
    shelf.follow(use);
  }

  @Override
  public RuleSnapshot latest() {
    return records.latest(shelf.copy()).edition();
  }

  @Override
  public RuleSnapshot at(long number) {
    return records.at(number, shelf.copy());
  }

  @Override
  public List<Revision> history(long before, int most) {
    return records.history(before, most);
  }

  @Override
  public RuleSnapshot change(
      OptionalLong expected, ChangeInfo signature, UnaryOperator<List<Rule>> edit) {
    return inTurn(() -> records.change(shelf.copy(), expected, signature, edit));
  }

  @Override
  public RuleSnapshot restore(long number, OptionalLong expected, ChangeInfo signature) {
    return inTurn(() -> records.restore(shelf.copy(), number, expected, signature));
  }

  private RuleSnapshot inTurn(Supplier<Done> change) {
    try {
      if (!turn.tryLock(PATIENCE_SECONDS, TimeUnit.SECONDS)) throw busy();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw busy();
    }
    try {
      var done = change.get();
      shelf.put(done.latest());
      if (done.isNew())
        following.made(done.latest()); // though the follower may have found it first
      return done.latest().edition();
    } finally {
      turn.unlock();
    }
  }

  private Away busy() {
    return new Away(
        "other changes of the rules in %s are not done yet; nothing was changed, try again"
            .formatted(database.place()),
        null);
  }

  @Override
  public void close() {
    following.close();
    database.close();
  }
}
