package io.headgate.internal.script;

import io.headgate.store.Budget;
import io.headgate.store.ReservationStore;
import io.headgate.store.StoreException;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The list of open reservations in Redis: one sorted set for all instances, ordered by expiry, and
 * the secret of their ids beside it.
 *
 * <p>Changes are sent together, {@link #DELAY_MILLIS} after the first of them, and again if the
 * call fails. A reservation that is settled before then is never listed. The list is only needed
 * for reservations that are not settled: if an instance ends without a last call, such a
 * reservation stays charged as reserved.
 *
 * <p>The list has at most {@link ReservationStore#MAX_OPEN} ids, and {@link
 * ReservationStore#MAX_PER_SUBJECT} of one subject. The server counts both. This instance refuses a
 * subject that has no room for a second after the reply that says so. What the subject was granted
 * before that is not listed, so that it takes no room in the server. Thread-safe.
 */
final class OpenReservations {
  private static final long DELAY_MILLIS = 100;
  private static final long RETRY_MILLIS = 1_000;
  private static final int MAX_BATCH = 512;
  private static final int MAX_PENDING = 10_000;
  private static final long MAX_PENDING_BYTES = 8 << 20; // of the ids
  private static final int MAX_FULL_SUBJECTS = 10_000;
  private static final long FULL_NANOS = 1_000_000_000;
  private static final int SECRET_BYTES = 32;
  private static final byte[] LIST = bytes("list");
  private static final byte[] DUE = bytes("due");
  private static final byte[] MAX = bytes(Integer.toString(ReservationStore.MAX_OPEN));
  private static final byte[] MAX_PER_SUBJECT =
      bytes(Integer.toString(ReservationStore.MAX_PER_SUBJECT));
  private static final String ADVICE =
      "settle or cancel reservations when their requests end, or give them a shorter ttl";
  private static final long REMOVED = -1;
  private static final long END_OF_TIME = 1L << 53; // the latest time that the script represents

  /**
   * The last change of an id that is not sent yet.
   *
   * @param expiresAt the expiry in microseconds, or {@link #REMOVED}
   * @param onListing stores the first record of an id that the list does not have yet; null for
   *     others
   */
  private record Change(long expiresAt, @Nullable Runnable onListing) {
    boolean isNew() {
      return onListing != null;
    }

    /** Returns by how much it changes the number of listed reservations. */
    long delta() {
      return isNew() ? 1 : expiresAt == REMOVED ? -1 : 0;
    }
  }

  private final ScriptConnection connection;
  private final byte[][] keys;
  private final LongSupplier clock;
  private final long timeoutNanos;
  private final byte[] ownSecret = new byte[SECRET_BYTES];
  private final ConcurrentHashMap<String, Change> pending = new ConcurrentHashMap<>();
  private final AtomicBoolean scheduled = new AtomicBoolean();
  private final AtomicLong unsent = new AtomicLong(); // the sum of the deltas without a reply
  private final AtomicLong pendingBytes = new AtomicLong();

  /** Subjects that have no room, with the time until which they are refused, in nanoseconds. */
  private final ConcurrentHashMap<String, Long> full = new ConcurrentHashMap<>();

  private final Budget budget =
      new Budget("reservations", ReservationStore.MAX_OPEN, this::count, ADVICE);
  private CompletableFuture<Void> replies = CompletableFuture.allOf(); // guarded by pending
  private volatile boolean closed;
  private volatile long count;
  private volatile List<byte[]> shared = List.of(); // the present secret and the one before

  /**
   * Creates a list.
   *
   * @param clock returns microseconds, or -1 for the server's clock
   * @param timeoutNanos how long a reply is waited for
   */
  OpenReservations(
      ScriptConnection connection, CounterKeys names, LongSupplier clock, long timeoutNanos) {
    this.connection = connection;
    this.keys =
        new byte[][] {
          bytes(names.ofOpenReservations()),
          bytes(names.ofReservationSecret()),
          bytes(names.ofReservationSubjects())
        };
    this.clock = clock;
    this.timeoutNanos = timeoutNanos;
    new SecureRandom().nextBytes(ownSecret);
  }

  /** Returns the bound on listed reservations, with the refusals of this instance. */
  Budget budget() {
    return budget;
  }

  /** Returns whether there is no room, and counts the refusal of another reservation if so. */
  boolean isFull() {
    return count() >= ReservationStore.MAX_OPEN && refused();
  }

  /** Returns whether there is no room for an id, and counts its refusal if so. */
  boolean isFullFor(String id) {
    if (isFull()) return true;
    var subject = ReservationStore.subjectOf(id);
    var until = full.get(subject);
    if (until == null) return false;
    if (System.nanoTime() - until < 0) return refused();
    full.remove(subject, until);
    return false;
  }

  private boolean refused() {
    budget.refuse();
    return true;
  }

  private void refuse(String subject) {
    if (full.size() >= MAX_FULL_SUBJECTS) full.clear(); // the server refuses them again
    full.put(subject, System.nanoTime() + FULL_NANOS);
  }

  /** Returns the number of listed reservations at the last reply, with the changes since. */
  long count() {
    return Math.max(0, count + unsent.get());
  }

  /**
   * Returns the secret of all instances, the one before if it has changed, and the secret of this
   * instance, with which ids are encrypted that it issues before Redis has been available.
   */
  List<byte[]> secrets() {
    var all = new ArrayList<>(shared);
    all.add(ownSecret);
    return all;
  }

  /** Returns whether the secret of all instances has been read. */
  boolean hasSecret() {
    return !shared.isEmpty();
  }

  /**
   * Lists a new reservation soon.
   *
   * @param onListing stores the record of the reservation; called when it is listed, unless it is
   *     removed before. Must not block
   */
  void add(String id, long expiresAt, Runnable onListing) {
    change(id, new Change(expiresAt, onListing));
  }

  /** Changes the expiry of a reservation soon. */
  void reschedule(String id, long expiresAt) {
    change(id, new Change(expiresAt, null));
  }

  /** Removes a reservation soon. */
  void remove(String id) {
    change(id, new Change(REMOVED, null));
  }

  private void change(String id, Change change) {
    if (pending.size() >= MAX_PENDING || pendingBytes.get() >= MAX_PENDING_BYTES) {
      var unused = flush();
    }
    pending.compute(
        id,
        (same, earlier) -> {
          var merged = merge(earlier, change);
          unsent.addAndGet(deltaOf(merged) - deltaOf(earlier));
          pendingBytes.addAndGet(bytesOf(id, merged) - bytesOf(id, earlier));
          return merged;
        });
    scheduleFlush(DELAY_MILLIS);
  }

  private void scheduleFlush(long delayMillis) {
    if (!scheduled.compareAndSet(false, true)) return;
    CompletableFuture.delayedExecutor(delayMillis, TimeUnit.MILLISECONDS)
        .execute(() -> {
          var unused = flush();
        });
  }

  /** A reservation that is removed before it was listed needs no call. */
  private static @Nullable Change merge(@Nullable Change earlier, Change later) {
    if (earlier == null || !earlier.isNew()) return later;
    return later.expiresAt == REMOVED ? null : new Change(later.expiresAt, earlier.onListing);
  }

  private static long bytesOf(String id, @Nullable Change change) {
    return change == null ? 0 : id.length();
  }

  private static long deltaOf(@Nullable Change change) {
    return change == null ? 0 : change.delta();
  }

  /**
   * Sends all pending changes.
   *
   * @return completes when the server has replied to these and to all that were sent before, also
   *     by other threads; never fails
   */
  CompletableFuture<Void> flush() {
    scheduled.set(false);
    CompletableFuture<Void> done;
    // Changes that were taken but not sent yet must not be missed by a call that finds none.
    synchronized (pending) {
      var ids = new ArrayList<String>();
      var changes = new ArrayList<Change>();
      for (var id : pending.keySet()) { // once, since changes whose call fails are pending again
        var change = pending.remove(id);
        if (change == null) continue;
        pendingBytes.addAndGet(-id.length());
        ids.add(id);
        changes.add(change);
      }
      for (int from = 0; from < ids.size(); from += MAX_BATCH) {
        int to = Math.min(ids.size(), from + MAX_BATCH);
        replies =
            CompletableFuture.allOf(
                replies, send(ids.subList(from, to), changes.subList(from, to)));
      }
      done = replies;
    }
    return done;
  }

  private CompletableFuture<?> send(List<String> ids, List<Change> changes) {
    var arguments = new byte[4 + 2 * ids.size()][];
    arguments[0] = bytes(Long.toString(clock.getAsLong()));
    arguments[1] = LIST;
    arguments[2] = MAX;
    arguments[3] = MAX_PER_SUBJECT;
    long delta = 0;
    for (int i = 0; i < ids.size(); i++) {
      arguments[4 + 2 * i] = bytes(Long.toString(changes.get(i).expiresAt));
      arguments[5 + 2 * i] = bytes(ids.get(i));
      delta += changes.get(i).delta();
    }
    long sent = delta;
    return connection
        .reservations(keys, arguments)
        .toCompletableFuture()
        .copy()
        .orTimeout(timeoutNanos, TimeUnit.NANOSECONDS) // so that a lost reply ends no later sweep
        .handle((reply, problem) -> {
          unsent.addAndGet(-sent);
          if (problem == null) listed(ids, changes, reply);
          else retain(ids, changes);
          return reply;
        });
  }

  /** Stores the records of ids that are listed now, and refuses subjects that have no room. */
  private void listed(List<String> ids, List<Change> changes, List<Object> reply) {
    count = (Long) reply.getLast();
    boolean tellsEach = reply.size() > ids.size(); // home, which lists nothing, does not
    for (int i = 0; i < ids.size(); i++) {
      var onListing = changes.get(i).onListing;
      if (tellsEach && (Long) reply.get(i) == 0) {
        if (count < ReservationStore.MAX_OPEN) refuse(ReservationStore.subjectOf(ids.get(i)));
      } else if (onListing != null) {
        onListing.run();
      }
    }
  }

  /** Keeps changes whose call has failed, unless there are later ones of the same ids. */
  private void retain(List<String> ids, List<Change> changes) {
    for (int i = 0; i < ids.size(); i++) {
      if (pending.size() >= MAX_PENDING || pendingBytes.get() >= MAX_PENDING_BYTES) break;
      var change = changes.get(i);
      if (pending.putIfAbsent(ids.get(i), change) != null) continue;
      unsent.addAndGet(change.delta());
      pendingBytes.addAndGet(ids.get(i).length());
    }
    if (!closed) scheduleFlush(RETRY_MILLIS);
  }

  /** Sends the last changes and waits for the reply, within the time of a call. */
  void close() {
    closed = true;
    try {
      flush().get(timeoutNanos, TimeUnit.NANOSECONDS);
    } catch (ExecutionException | TimeoutException e) {
      // Redis is unavailable; reservations that are not listed stay charged as reserved.
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Reads the ids of at most {@code max} reservations that have expired, and the secret. */
  CompletionStage<List<String>> due(int max) {
    return expiringBy(clock.getAsLong(), max);
  }

  /** Reads the ids of at most {@code max} reservations, those that expire first. */
  CompletionStage<List<String>> all(int max) {
    return expiringBy(END_OF_TIME, max)
        .toCompletableFuture()
        .orTimeout(timeoutNanos, TimeUnit.NANOSECONDS)
        .exceptionallyCompose(thrown -> {
          var cause = thrown instanceof CompletionException ? thrown.getCause() : thrown;
          return CompletableFuture.failedStage(
              cause instanceof StoreException
                  ? cause
                  : new StoreException(
                      cause instanceof TimeoutException
                          ? StoreException.Kind.TIMEOUT
                          : StoreException.Kind.OTHER,
                      "the store did not list the open reservations: " + cause,
                      cause));
        });
  }

  private CompletionStage<List<String>> expiringBy(long time, int max) {
    return flush()
        .thenCompose(sent ->
            connection.reservations(
                keys, bytes(Long.toString(time)), DUE, bytes(Integer.toString(max)), ownSecret))
        .thenApply(reply -> {
          learn((byte[]) reply.getFirst());
          count = (Long) reply.get(1);
          var ids = new ArrayList<String>(reply.size());
          for (var id : reply.subList(2, reply.size())) {
            ids.add(new String((byte[]) id, StandardCharsets.US_ASCII));
          }
          return ids;
        });
  }

  /** Reads the secret, within the time of a change. */
  CompletionStage<?> refresh() {
    return due(0).toCompletableFuture().orTimeout(timeoutNanos, TimeUnit.NANOSECONDS);
  }

  /** Remembers the secret of all instances; an empty one means that there is none yet. */
  private synchronized void learn(byte[] secret) {
    if (secret.length == 0) return;
    if (shared.isEmpty()) {
      shared = List.of(secret);
    } else if (!Arrays.equals(shared.getFirst(), secret)) {
      shared = List.of(secret, shared.getFirst());
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
