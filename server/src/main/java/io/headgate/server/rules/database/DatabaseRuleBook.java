package io.headgate.server.rules.database;

import io.headgate.redis.Bulletin;
import io.headgate.rule.Rule;
import io.headgate.server.rules.Edition;
import io.headgate.server.rules.Revision;
import io.headgate.server.rules.RuleBook;
import io.headgate.server.rules.RuleBookProblem.Away;
import io.headgate.server.rules.Signature;
import io.headgate.server.rules.database.Records.Done;
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
public final class DatabaseRuleBook implements RuleBook {
  private static final Logger LOG = LoggerFactory.getLogger(DatabaseRuleBook.class);
  private static final long PATIENCE_SECONDS = 10;

  private final Database database;
  private final Records records;
  private final Shelf shelf;
  private final Following following;

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
      Optional<Bulletin> bulletin,
      InstantSource clock) {}

  private DatabaseRuleBook(Database database, Terms terms, Seed seed) {
    this.database = database;
    this.records = new Records(database, terms.clock());
    var lastGood = new LastGoodCopy(terms.copy());
    var start = start(seed, lastGood);
    this.shelf = new Shelf(start.copy);
    this.following =
        new Following(
            records,
            shelf,
            seed,
            lastGood,
            terms.bulletin().map(Courier::new),
            terms.look(),
            start.problem);
  }

  /**
   * Opens the book, or the copy that there is of it while the database is away.
   *
   * @throws Away if there is neither, or another process has the file
   */
  public static DatabaseRuleBook open(Terms terms, Seed seed) {
    var database = new Database(terms.database());
    try {
      var book = new DatabaseRuleBook(database, terms, seed);
      book.following.start();
      return book;
    } catch (RuntimeException e) {
      database.close();
      throw e;
    }
  }

  /** What to begin with, and why it is not what the database has. */
  private record Start(Copy copy, Optional<String> problem) {}

  private Start start(Seed seed, LastGoodCopy lastGood) {
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
  public Edition inForce() {
    return shelf.copy().edition();
  }

  @Override
  public Condition condition() {
    return new Condition(database.place(), Optional.empty(), following.problem());
  }

  @Override
  public void follow(Consumer<Edition> use) {
    shelf.follow(use);
  }

  @Override
  public Edition latest() {
    return records.latest(shelf.copy()).edition();
  }

  @Override
  public Edition at(long number) {
    return records.at(number, shelf.copy());
  }

  @Override
  public List<Revision> history(long before, int most) {
    return records.history(before, most);
  }

  @Override
  public Edition change(
      OptionalLong expected, Signature signature, UnaryOperator<List<Rule>> edit) {
    return inTurn(() -> records.change(shelf.copy(), expected, signature, edit));
  }

  @Override
  public Edition restore(long number, OptionalLong expected, Signature signature) {
    return inTurn(() -> records.restore(shelf.copy(), number, expected, signature));
  }

  private Edition inTurn(Supplier<Done> change) {
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
