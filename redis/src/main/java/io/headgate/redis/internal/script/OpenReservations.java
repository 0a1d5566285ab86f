package io.headgate.redis.internal.script;

import io.headgate.redis.internal.connection.RedisConnection;
import io.headgate.redis.internal.connection.RedisKeys;
import io.headgate.store.ReservationStore;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * The list of open reservations in Redis: one sorted set for all instances, ordered by expiry, and
 * the secret of their ids beside it.
 *
 * <p>Changes are sent together: while calls are in flight, further changes wait for the next one.
 * The list is only needed for reservations that are not settled, so a failed change has no effect
 * but that such a reservation stays charged as reserved. Thread-safe.
 */
final class OpenReservations {
  private static final int MAX_IN_FLIGHT = 2;
  private static final int MAX_BATCH = 128;
  private static final int MAX_QUEUED = 10_000;
  private static final int SECRET_BYTES = 32;
  private static final byte[] LIST = bytes("list");
  private static final byte[] DUE = bytes("due");
  private static final byte[] MAX = bytes(Integer.toString(ReservationStore.MAX_OPEN));
  private static final long REMOVED = -1;

  /** A change of the list, and whether it had room. */
  private static final class Change extends CompletableFuture<Boolean> {
    final String id;
    final long expiresAt;

    Change(String id, long expiresAt) {
      this.id = id;
      this.expiresAt = expiresAt;
    }
  }

  private final RedisConnection connection;
  private final byte[][] keys;
  private final LongSupplier clock;
  private final long timeoutNanos;
  private final byte[] ownSecret = new byte[SECRET_BYTES];
  private final Queue<Change> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger queued = new AtomicInteger();
  private final AtomicInteger inFlight = new AtomicInteger();
  private volatile long count;
  private volatile List<byte[]> shared = List.of(); // the present secret and the one before

  /**
   * Creates a list.
   *
   * @param clock returns microseconds, or -1 for the server's clock
   * @param timeoutNanos how long a change is waited for
   */
  OpenReservations(
      RedisConnection connection, RedisKeys names, LongSupplier clock, long timeoutNanos) {
    this.connection = connection;
    this.keys =
        new byte[][] {bytes(names.ofOpenReservations()), bytes(names.ofReservationSecret())};
    this.clock = clock;
    this.timeoutNanos = timeoutNanos;
    new SecureRandom().nextBytes(ownSecret);
  }

  /** Returns the number of open reservations at the last reply. */
  long count() {
    return count;
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
   * Lists a reservation.
   *
   * @return false if the list is full; true if it is listed or could not be within the time
   */
  CompletionStage<Boolean> put(String id, long expiresAt) {
    return change(new Change(id, expiresAt))
        .completeOnTimeout(true, timeoutNanos, TimeUnit.NANOSECONDS);
  }

  /** Removes a reservation. */
  void remove(String id) {
    var unused = change(new Change(id, REMOVED));
  }

  private CompletableFuture<Boolean> change(Change change) {
    if (queued.incrementAndGet() > MAX_QUEUED) {
      queued.decrementAndGet();
      change.complete(true);
      return change;
    }
    queue.add(change);
    flush();
    return change;
  }

  private void flush() {
    while (!queue.isEmpty()) {
      int now = inFlight.get();
      if (now >= MAX_IN_FLIGHT) return;
      if (inFlight.compareAndSet(now, now + 1)) send();
    }
  }

  private void send() {
    var batch = new ArrayList<Change>();
    for (Change change; batch.size() < MAX_BATCH && (change = queue.poll()) != null; ) {
      queued.decrementAndGet();
      batch.add(change);
    }
    if (batch.isEmpty()) {
      inFlight.decrementAndGet();
      return;
    }
    var arguments = new byte[3 + 2 * batch.size()][];
    arguments[0] = bytes(Long.toString(clock.getAsLong()));
    arguments[1] = LIST;
    arguments[2] = MAX;
    for (int i = 0; i < batch.size(); i++) {
      arguments[3 + 2 * i] = bytes(Long.toString(batch.get(i).expiresAt));
      arguments[4 + 2 * i] = bytes(batch.get(i).id);
    }
    var unused =
        connection
            .reservations(keys, arguments)
            .handle((reply, problem) -> {
              inFlight.decrementAndGet();
              for (int i = 0; i < batch.size(); i++) {
                batch.get(i).complete(problem != null || (Long) reply.get(i) == 1);
              }
              if (problem == null) count = (Long) reply.getLast();
              flush();
              return reply;
            });
  }

  /** Reads the ids of at most {@code max} reservations that have expired, and the secret. */
  CompletionStage<List<String>> due(int max) {
    return connection
        .reservations(
            keys,
            bytes(Long.toString(clock.getAsLong())),
            DUE,
            bytes(Integer.toString(max)),
            ownSecret)
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

  private synchronized void learn(byte[] secret) {
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
