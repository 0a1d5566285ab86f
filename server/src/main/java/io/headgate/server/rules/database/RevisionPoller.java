package io.headgate.server.rules.database;

import io.headgate.server.rules.RuleRepositoryException.Away;
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
 * Keeps one instance up to date, in a thread of its own: hears of new editions from others, asks
 * the database for the latest number now and then, passes on what was made here, and keeps the copy
 * in the file. Of editions that come faster than they can be handled, only the latest is.
 */
final class RevisionPoller implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RevisionPoller.class);
  private static final long CLOSING_MILLIS = 15_000;

  private final RuleTransactions records;
  private final ActiveRevision shelf;
  private final Seed seed;
  private final SnapshotFile lastGood;
  private final Optional<RevisionPublisher> courier;
  private final long lookNanos;
  private final Thread thread =
      Thread.ofPlatform().daemon().name("headgate-book").unstarted(this::run);
  private final Semaphore news = new Semaphore(0);
  private final AtomicLong heard = new AtomicLong();
  private final AtomicReference<@Nullable StoredSnapshot> made = new AtomicReference<>();
  private volatile Optional<String> problem;
  private volatile boolean closed;
  private boolean begun; // the rest is the thread's own
  private String listening = "";

  /**
   * @param problem why the edition on the shelf is not the database's, if so
   */
  RevisionPoller(
      RuleTransactions records,
      ActiveRevision shelf,
      Seed seed,
      SnapshotFile lastGood,
      Optional<RevisionPublisher> courier,
      Duration look,
      Optional<String> problem) {
    this.records = records;
    this.shelf = shelf;
    this.seed = seed;
    this.lastGood = lastGood;
    this.courier = courier;
    this.lookNanos = look.toNanos();
    this.problem = problem;
    this.begun = problem.isEmpty();
  }

  void start() {
    listen();
    if (begun) {
      lastGood.keep(shelf.copy());
      if (shelf.copy().number() == 1) made(shelf.copy());
    } else {
      heard.set(Long.MAX_VALUE); // whatever Redis has may be newer than the file
      news.release();
    }
    thread.start();
  }

  Optional<String> problem() {
    return problem;
  }

  /** An edition was made here, and is in force here. */
  void made(StoredSnapshot copy) {
    made.set(copy);
    news.release();
  }

  private void run() {
    long due = System.nanoTime() + lookNanos;
    while (!closed) {
      try {
        boolean woken = news.tryAcquire(Math.max(0, due - System.nanoTime()), TimeUnit.NANOSECONDS);
        if (closed) return;
        if (woken) {
          news.drainPermits();
          passOn();
          hear();
        }
        if (System.nanoTime() - due >= 0) {
          ask();
          lastGood.keep(shelf.copy());
          due = System.nanoTime() + lookNanos;
        }
      } catch (InterruptedException e) {
        return;
      } catch (RuntimeException e) {
        LOG.error("the rules could not be followed", e); // and the next look comes all the same
        due = System.nanoTime() + lookNanos;
      }
    }
  }

  private void passOn() {
    var copy = made.getAndSet(null);
    if (copy != null) courier.ifPresent(there -> there.post(copy));
  }

  /** Takes what others have posted; from the database where it is not to be had otherwise. */
  private void hear() {
    long number = heard.getAndSet(0);
    if (number <= shelf.copy().number()) return;
    var held = shelf.copy();
    courier
        .flatMap(there -> there.read(held.book(), held.known()))
        .ifPresent(copy -> take(copy, "Redis"));
    if (begun && number > shelf.copy().number()) ask();
  }

  private void ask() {
    try {
      if (!begun) begin();
      else look();
      if (problem.isPresent()) LOG.info("the database of rules is back");
      problem = Optional.empty();
    } catch (Away e) {
      String what = String.valueOf(e.getMessage());
      if (isNews(what)) LOG.warn("{}", what);
      problem = Optional.of(what);
    } catch (RuntimeException e) {
      String what = "the rules in force stay so, since the database's can't be followed: " + e;
      if (isNews(what)) LOG.error("{}", what, e);
      problem = Optional.of(what);
    }
  }

  /** The same thing is said once, though each time it may have taken other milliseconds. */
  private boolean isNews(String what) {
    var digits = "[0-9]+";
    return problem
        .filter(said -> said.replaceAll(digits, "").equals(what.replaceAll(digits, "")))
        .isEmpty();
  }

  /** The database was away at the start. Its rules count, even if they are another book's. */
  private void begin() {
    var held = shelf.copy();
    var copy = records.begin(seed);
    begun = true;
    take(copy, "the database");
    listen();
    lastGood.keep(shelf.copy());
    RuleTransactions.requireNotSetBack(held, copy.head());
  }

  private void look() {
    var held = shelf.copy(); // before asking: the head can't be behind it unless it was set back
    var head = records.head();
    RuleTransactions.requireNotSetBack(held, head);
    if (held.isAt(head)) return;
    take(records.latest(held), "the database");
    listen();
  }

  private void take(StoredSnapshot copy, String from) {
    if (!shelf.put(copy)) return;
    var revision = copy.edition().revision();
    LOG.info(
        "rules: revision {} by {} is in force, {} rules, from {}",
        revision.number(),
        revision.signature().author(),
        revision.rules(),
        from);
  }

  /** On the channel of the book, which may turn out to be another one than the copy was of. */
  private void listen() {
    String book = shelf.copy().book();
    if (book.equals(listening)) return;
    listening = book;
    courier.ifPresent(there -> there.listen(book, this::heard));
  }

  private void heard(long number) {
    heard.accumulateAndGet(number, Math::max);
    news.release();
  }

  @Override
  public void close() {
    closed = true;
    news.release();
    try {
      thread.join(CLOSING_MILLIS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    lastGood.keep(shelf.copy());
  }
}
