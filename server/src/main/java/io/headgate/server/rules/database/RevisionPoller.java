package io.headgate.server.rules.database;

import io.headgate.server.rules.RuleRepositoryException.Unavailable;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one instance up to date on a thread of its own. It receives notifications of new revisions
 * from other instances, polls the database for the latest revision, publishes revisions made on
 * this instance, and maintains the snapshot file. Of revisions that arrive faster than they can be
 * handled, only the latest is.
 */
final class RevisionPoller implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RevisionPoller.class);
  private static final long CLOSE_TIMEOUT_MILLIS = 15_000;

  private final RuleTransactions transactions;
  private final ActiveRevision active;
  private final Seed seed;
  private final SnapshotFile snapshotFile;
  private final Optional<RevisionPublisher> publisher;
  private final long pollNanos;
  private final Thread thread =
      Thread.ofPlatform().daemon().name("headgate-revisions").unstarted(this::run);
  private final Semaphore wakeUps = new Semaphore(0);
  private final AtomicLong notified = new AtomicLong();
  private final AtomicReference<@Nullable StoredSnapshot> unpublished = new AtomicReference<>();
  private volatile Optional<String> problem;
  private volatile boolean closed;
  private boolean initialized; // confined to the thread, like subscribed
  private String subscribed = "";

  /**
   * @param problem why the active snapshot is not from the database, if it is not
   */
  RevisionPoller(
      RuleTransactions transactions,
      ActiveRevision active,
      Seed seed,
      SnapshotFile snapshotFile,
      Optional<RevisionPublisher> publisher,
      Duration pollInterval,
      Optional<String> problem) {
    this.transactions = transactions;
    this.active = active;
    this.seed = seed;
    this.snapshotFile = snapshotFile;
    this.publisher = publisher;
    this.pollNanos = pollInterval.toNanos();
    this.problem = problem;
    this.initialized = problem.isEmpty();
  }

  void start() {
    subscribe();
    if (initialized) {
      snapshotFile.write(active.get());
      if (active.get().number() == 1) publish(active.get());
    } else {
      notified.set(Long.MAX_VALUE); // Redis may have a newer revision than the file
      wakeUps.release();
    }
    thread.start();
  }

  Optional<String> problem() {
    return problem;
  }

  /** Publishes a snapshot made on this instance, where it is already active. */
  void publish(StoredSnapshot snapshot) {
    unpublished.set(snapshot);
    wakeUps.release();
  }

  private void run() {
    long due = System.nanoTime() + pollNanos;
    while (!closed) {
      try {
        boolean woken =
            wakeUps.tryAcquire(Math.max(0, due - System.nanoTime()), TimeUnit.NANOSECONDS);
        if (closed) return;
        if (woken) {
          wakeUps.drainPermits();
          publishPending();
          readPublished();
        }
        if (System.nanoTime() - due >= 0) {
          queryDatabase();
          snapshotFile.write(active.get());
          due = System.nanoTime() + pollNanos;
        }
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException e) {
        LOG.error("polling for rules failed; the next poll follows as usual", e);
        due = System.nanoTime() + pollNanos;
      }
    }
  }

  private void publishPending() {
    var pending = unpublished.getAndSet(null);
    if (pending != null) publisher.ifPresent(redis -> redis.publish(pending));
  }

  /**
   * Activates the snapshot that another instance published, or reads the database if it cannot be
   * read from Redis.
   */
  private void readPublished() {
    long number = notified.getAndSet(0);
    if (number <= active.get().number()) return;
    var current = active.get();
    publisher
        .flatMap(redis -> redis.read(current.repositoryId(), current.rulesByText()))
        .ifPresent(snapshot -> activate(snapshot, "Redis"));
    if (initialized && number > active.get().number()) queryDatabase();
  }

  private void queryDatabase() {
    try {
      if (!initialized) initialize();
      else pollDatabase();
      if (problem.isPresent()) LOG.info("the rules database is available again");
      problem = Optional.empty();
    } catch (Unavailable e) {
      String message = String.valueOf(e.getMessage());
      if (isNew(message)) LOG.warn("{}", message);
      problem = Optional.of(message);
    } catch (RuntimeException e) {
      String message =
          "cannot load rules from the database; keeping revision %d: %s"
              .formatted(active.get().number(), e);
      if (isNew(message)) LOG.error("{}", message, e);
      problem = Optional.of(message);
    }
  }

  /**
   * Returns whether the message differs from the last one in more than its digits, such as elapsed
   * milliseconds.
   */
  private boolean isNew(String message) {
    var digits = "[0-9]+";
    return problem
        .filter(previous -> previous.replaceAll(digits, "").equals(message.replaceAll(digits, "")))
        .isEmpty();
  }

  /**
   * Reads the database for the first time if it was unavailable at the start. Its rules replace
   * those of the snapshot file, even if they belong to another repository.
   */
  private void initialize() {
    var current = active.get();
    var stored = transactions.initialize(seed);
    initialized = true;
    activate(stored, "the database");
    subscribe();
    snapshotFile.write(active.get());
    RuleTransactions.requireNotRestored(current, stored.head());
  }

  private void pollDatabase() {
    // read before the query: the head is behind it only if the database was restored to an earlier
    // state
    var current = active.get();
    var head = transactions.head();
    RuleTransactions.requireNotRestored(current, head);
    if (current.isAt(head)) return;
    activate(transactions.latest(current), "the database");
    subscribe();
  }

  private void activate(StoredSnapshot snapshot, String from) {
    if (!active.activate(snapshot)) return;
    var revision = snapshot.snapshot().revision();
    LOG.info(
        "rules: revision {} by {} is in force, {} rules, from {}",
        revision.number(),
        revision.changeInfo().author(),
        revision.rules(),
        from);
  }

  /**
   * Subscribes to the channel of the repository, which may not be the one the snapshot file came
   * from.
   */
  private void subscribe() {
    String repositoryId = active.get().repositoryId();
    if (repositoryId.equals(subscribed)) return;
    subscribed = repositoryId;
    publisher.ifPresent(redis -> redis.subscribe(repositoryId, this::notified));
  }

  private void notified(long number) {
    notified.accumulateAndGet(number, Math::max);
    wakeUps.release();
  }

  @Override
  public void close() {
    closed = true;
    wakeUps.release();
    try {
      thread.join(CLOSE_TIMEOUT_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    snapshotFile.write(active.get());
  }
}
