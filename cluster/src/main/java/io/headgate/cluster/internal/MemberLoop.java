package io.headgate.cluster.internal;

import com.tangosol.net.AsyncNamedCache;
import com.tangosol.net.RequestPolicyException;
import io.headgate.internal.script.Failures;
import io.headgate.internal.script.ReadBarrier;
import io.headgate.internal.script.StallMeter;
import io.headgate.limit.NumberReader;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sends the batches of partitions to their owners, and delivers the replies, on one thread.
 *
 * <p>At most {@link #MAX_IN_FLIGHT} message to one owner is in flight. Batches that arrive
 * meanwhile, of whatever partition, leave together in the next message: most of the cost of a batch
 * is that of its message, which wakes up seven threads in three processes. With two messages in
 * flight a check of 10,000 keys took 40 % more CPU time at three members, as each carried half.
 *
 * <p>The thread exists because a call into the grid may block, for seconds while an expelled member
 * joins anew, and threads of callers must not. Thread-safe.
 *
 * <p>Every batch ends: with its reply, a failure, the expulsion of this member, or after {@link
 * #MAX_NANOS}. The grid does not answer all that was sent by a service that has ended since.
 */
final class MemberLoop implements ReadBarrier, AutoCloseable {
  static final int MAX_IN_FLIGHT = 1;
  static final int MAX_CALLS = 512;

  /** Bounds the memory of batches while the cluster does not answer. */
  static final int MAX_PENDING = 4_000;

  /**
   * Longer than an owner that hangs stays in the cluster, so that a batch can reach the next one.
   */
  static final long MAX_NANOS = Duration.ofSeconds(10).toNanos();

  /** A batch and the future of its reply. */
  private static final class Pending extends CompletableFuture<byte[]> {
    final PartitionCall call;
    final long since;

    Pending(PartitionCall call, long since) {
      this.call = call;
      this.since = since;
    }
  }

  /** The batches for one owner; confined to the loop. */
  private static final class OwnerQueue {
    final Queue<Pending> waiting = new ArrayDeque<>();
    final Set<List<Pending>> inFlight = Collections.newSetFromMap(new IdentityHashMap<>());
  }

  private final Supplier<AsyncNamedCache<EntryKey, byte[]>> counters;
  private final IntUnaryOperator ownerOf;
  private final Queue<Pending> incoming = new ConcurrentLinkedQueue<>();
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final Set<Pending> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger pending = new AtomicInteger(); // the number of these
  private final AtomicBoolean measuring = new AtomicBoolean();
  private final Map<Integer, OwnerQueue> owners = new HashMap<>(); // confined to the loop
  private final Thread thread;
  private volatile boolean parked;
  private volatile boolean closed;

  /**
   * Creates a loop and starts its thread.
   *
   * @param counters returns the cache of the counters
   * @param ownerOf returns a number for the owner of a partition; -1 if it has none now
   */
  MemberLoop(Supplier<AsyncNamedCache<EntryKey, byte[]>> counters, IntUnaryOperator ownerOf) {
    this.counters = counters;
    this.ownerOf = ownerOf;
    this.thread = Thread.ofPlatform().daemon().name("headgate-cluster").start(this::run);
  }

  /** Sends a batch; the stage fails with a {@link StoreException}. */
  CompletionStage<byte[]> submit(PartitionCall call) {
    var each = new Pending(call, System.nanoTime());
    if (closed || pending.incrementAndGet() > MAX_PENDING) {
      if (!closed) pending.decrementAndGet();
      var message =
          closed
              ? "the cluster store is closed"
              : "%d batches wait for the cluster".formatted(MAX_PENDING);
      var kind = closed ? Kind.CONNECTION : Kind.OVERLOADED;
      each.completeExceptionally(new StoreException(kind, message, null).unsent());
      return each;
    }
    open.add(each);
    var unused =
        each.whenComplete((reply, problem) -> {
          open.remove(each);
          pending.decrementAndGet();
        });
    incoming.add(each);
    wake();
    if (closed) failOpen(closedStore()); // after the loop has looked for the last time
    return each;
  }

  /** Runs a task on the thread of the loop. */
  void execute(Runnable task) {
    tasks.add(task);
    wake();
  }

  /**
   * Ends the batches that have waited for too long, also while the loop is blocked in the grid.
   *
   * @param now nanoseconds of the JVM's clock
   */
  void expire(long now) {
    if (open.isEmpty()) return;
    var problem =
        new StoreException(
            Kind.TIMEOUT,
            "no answer from the cluster within %d s".formatted(MAX_NANOS / 1_000_000_000),
            null);
    for (var each : open) {
      if (now - each.since >= MAX_NANOS) each.completeExceptionally(problem);
    }
    execute(this::releaseEnded);
  }

  /** Ends all batches: none of them is answered once the service of this member has ended. */
  void expelled() {
    failOpen(
        new StoreException(Kind.CONNECTION, "this member was expelled from the cluster", null));
    execute(this::releaseEnded);
  }

  private void failOpen(StoreException problem) {
    for (var each : open) each.completeExceptionally(problem);
  }

  /** Gives back the places of messages without a batch that waits. */
  private void releaseEnded() {
    for (var queue : owners.values()) {
      queue.waiting.removeIf(Pending::isDone);
      queue.inFlight.removeIf(message -> message.stream().allMatch(Pending::isDone));
    }
    // A member that joins again has another number.
    owners.values().removeIf(queue -> queue.waiting.isEmpty() && queue.inFlight.isEmpty());
  }

  boolean isIdle() {
    return pending.get() == 0;
  }

  private void wake() {
    if (parked) LockSupport.unpark(thread);
  }

  private void run() {
    while (!closed) {
      boolean worked = false;
      for (Runnable task; (task = tasks.poll()) != null; worked = true) runSafely(task);
      for (Pending each; (each = incoming.poll()) != null; worked = true) {
        owners.computeIfAbsent(ownerNumber(each), owner -> new OwnerQueue()).waiting.add(each);
      }
      for (var queue : owners.values()) {
        while (!queue.waiting.isEmpty() && queue.inFlight.size() < MAX_IN_FLIGHT) send(queue);
      }
      if (!worked) park();
    }
    failOpen(closedStore());
  }

  private void park() {
    parked = true;
    if (tasks.isEmpty() && incoming.isEmpty() && !closed) LockSupport.park(this);
    parked = false;
  }

  private int ownerNumber(Pending each) {
    try {
      return ownerOf.applyAsInt(each.call.partition());
    } catch (RuntimeException e) {
      return -1; // this member is joining anew
    }
  }

  private static void runSafely(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException e) {
      GridNode.LOG.log(java.util.logging.Level.WARNING, "a task of the cluster store failed", e);
    }
  }

  private void send(OwnerQueue queue) {
    var message = new ArrayList<Pending>();
    for (Pending each; message.size() < MAX_CALLS && (each = queue.waiting.poll()) != null; ) {
      if (!each.isDone()) message.add(each);
    }
    if (message.isEmpty()) return;
    queue.inFlight.add(message);
    CompletableFuture<? extends Map<EntryKey, byte[]>> replies;
    try {
      replies = invoke(message);
    } catch (RuntimeException e) {
      replies = CompletableFuture.failedFuture(e);
    }
    var unused =
        replies.whenComplete((map, problem) ->
            executeHere(() -> {
              queue.inFlight.remove(message); // unless its place was given back before
              deliver(message, map, problem);
            }));
  }

  /** Runs a task at once if this is the thread of the loop, which completes most replies. */
  private void executeHere(Runnable task) {
    if (Thread.currentThread().equals(thread)) runSafely(task);
    else execute(task);
  }

  private CompletableFuture<? extends Map<EntryKey, byte[]>> invoke(List<Pending> message) {
    var calls = new ArrayList<PartitionCall>(message.size());
    var anchors = new HashMap<Integer, EntryKey>();
    for (var each : message) {
      calls.add(each.call);
      anchors.computeIfAbsent(each.call.partition(), first -> each.call.anchor());
    }
    var processor = new BatchProcessor(calls);
    if (anchors.size() > 1) return counters.get().invokeAll(anchors.values(), processor);
    var anchor = anchors.values().iterator().next();
    return counters.get().invoke(anchor, processor).thenApply(reply -> Map.of(anchor, reply));
  }

  private void deliver(
      List<Pending> message, @Nullable Map<EntryKey, byte[]> replies, @Nullable Throwable problem) {
    if (replies == null) {
      var failure = failureOf(problem);
      for (var each : message) each.completeExceptionally(failure);
      return;
    }
    // The map of the grid searches its entries one after the other.
    var readers = new HashMap<Integer, NumberReader>();
    replies.forEach((anchor, reply) -> readers.put(anchor.partition(), new NumberReader(reply)));
    for (var each : message) {
      var reader = readers.get(each.call.partition());
      if (reader != null) deliver(each, reader);
      else {
        each.completeExceptionally(
            new StoreException(Kind.OTHER, "a partition of the cluster did not reply", null));
      }
    }
  }

  private static void deliver(Pending each, NumberReader in) {
    try {
      if (in.next() == 1) each.complete(in.nextBytes());
      else each.completeExceptionally(new StoreException(Kind.REFUSED, in.text(), null));
    } catch (IllegalArgumentException e) {
      each.completeExceptionally(
          new StoreException(Kind.OTHER, "a reply of the cluster is malformed: " + e, e));
    }
  }

  /**
   * Translates a failure of the grid. An expelled member's calls fail in several ways, with a
   * NullPointerException among them: whatever the failure is, the cluster is unavailable to it.
   */
  private static StoreException failureOf(@Nullable Throwable problem) {
    var root = problem == null ? null : Failures.rootOf(problem);
    if (root instanceof StoreException failure) return failure;
    if (root instanceof RequestPolicyException) {
      return new StoreException(
              Kind.CONNECTION, "this member sees only a minority of the cluster", root)
          .unsent();
    }
    return new StoreException(Kind.CONNECTION, "the cluster is unavailable: " + root, root);
  }

  private static StoreException closedStore() {
    return new StoreException(Kind.CONNECTION, "the cluster store is closed", null).unsent();
  }

  @Override
  public void afterReads(Runnable action) {
    execute(action);
  }

  @Override
  public void measure(StallMeter meter, LongSupplier nanos) {
    if (!measuring.compareAndSet(false, true)) return;
    long due = nanos.getAsLong();
    execute(() -> {
      measuring.set(false);
      meter.record(due, nanos.getAsLong());
    });
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
