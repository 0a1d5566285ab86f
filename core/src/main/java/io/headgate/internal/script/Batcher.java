package io.headgate.internal.script;

import io.headgate.store.BatchScope;
import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Sends commands to one server in batches, in the order in which they were submitted, and delivers
 * the replies. Thread-safe.
 *
 * <p>A command is sent immediately while fewer than {@link #MAX_IN_FLIGHT} calls are in flight.
 * Otherwise it is queued, and queued commands are sent together when a call returns. No command
 * waits for a batch to fill, and batches grow with load. Commands of a thread with a {@link
 * BatchScope} are sent when it closes. Batched commands cost the server half, and the client a
 * third, of what single calls cost; for commands of one key it is a seventh of either.
 *
 * <p>With two calls in flight, each side often goes to sleep just before the other is done, and
 * waking up takes longer than a call of 16 commands: 64 callers of one key had 550,000 replies per
 * second, compared to 800,000 with four calls.
 */
final class Batcher {
  static final int MAX_BATCH = 128;
  static final int MAX_IN_FLIGHT = 4;
  private static final int MIN_SHARE = 16;
  private static final int MAX_QUEUED = 10_000;
  private static final int RESENDS = 2;

  /** Ends a batch early, since the server executes nothing else while it runs the script. */
  private static final long MAX_EXTRA_WORK = 1_000;

  private final ScriptConnection connection;
  private final CounterKeys keys;
  private final ServerClock clock;
  private final CommandDeadline deadline;
  private final BatchListener roundTrips;
  private final Queue<ScriptCommand<?>> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger queueLength = new AtomicInteger();
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicInteger delivering = new AtomicInteger();
  private final AtomicInteger flushes = new AtomicInteger(); // requested and not yet performed
  private final Runnable flush = this::flush; // one object, so that a scope has it once
  private final @Nullable BatchCall[] calls =
      new @Nullable BatchCall[MAX_IN_FLIGHT]; // guarded by itself

  /**
   * Creates a batcher for commands of one hash slot.
   *
   * @param deadline is notified of each call
   */
  Batcher(
      ScriptConnection connection,
      CounterKeys keys,
      ServerClock clock,
      CommandDeadline deadline,
      BatchListener roundTrips) {
    this.connection = connection;
    this.keys = keys;
    this.clock = clock;
    this.deadline = deadline;
    this.roundTrips = roundTrips;
  }

  /** Sends or queues a command; fails it if the queue is full. */
  void submit(ScriptCommand<?> command) {
    command.since = deadline.now();
    if (queueLength.incrementAndGet() > MAX_QUEUED) {
      queueLength.decrementAndGet();
      command.completeExceptionally(
          new StoreException(
                  Kind.OVERLOADED,
                  "the queue of requests to %s is full (%d)"
                      .formatted(deadline.store(), MAX_QUEUED),
                  null)
              .unsent());
      return;
    }
    queue.add(command);
    if (queueLength.get() >= MAX_BATCH) flush();
    else if (delivering.get() == 0 && !BatchScope.postpone(flush)) flush();
  }

  /**
   * Sends queued commands while calls are available. One thread at a time does so, on behalf of the
   * others: if two threads sent at once, the later of two commands of one caller could be sent
   * first.
   */
  private void flush() {
    if (flushes.getAndIncrement() != 0) return; // the thread that flushes repeats its loop
    int pending = 1;
    try {
      do {
        while (!queue.isEmpty() && tryReserve()) sendNext();
        pending = flushes.addAndGet(-pending);
      } while (pending != 0);
    } catch (Throwable t) {
      flushes.set(0); // otherwise no thread would flush again
      throw t;
    }
  }

  private void sendNext() {
    var call = nextCall();
    if (call.commands.isEmpty()) {
      release(call);
    } else {
      send(call);
      call.sent();
    }
  }

  /** Takes commands from the queue. Commands whose wait has ended are dropped, so not charged. */
  private BatchCall nextCall() {
    var call = new BatchCall(deadline.now());
    int share = share();
    int size = 0;
    long work = 0;
    for (ScriptCommand<?> command;
        size < share
            && work < MAX_EXTRA_WORK
            && (command = queue.peek()) != null
            && size + command.size() <= MAX_BATCH; ) {
      queue.remove();
      queueLength.decrementAndGet();
      if (command.isDone()) {
        command.dropped();
        continue;
      }
      call.commands.add(command);
      size += command.size();
      work += command.extraWork();
    }
    synchronized (calls) {
      for (int i = 0; i < MAX_IN_FLIGHT; i++) {
        if (calls[i] == null) {
          calls[i] = call;
          return call;
        }
      }
    }
    throw new IllegalStateException("more than %d calls in flight".formatted(MAX_IN_FLIGHT));
  }

  /**
   * Returns how many commands one call may carry: an equal share of all, so that the other calls
   * have some to carry as well. Callers that are answered together send their next commands
   * together, so an uneven split such as 61, 1, 1 and 1 would persist, with either the server or
   * the client always idle. Shares below 16 are not worth a call.
   */
  private int share() {
    int commands = queueLength.get();
    synchronized (calls) {
      for (var call : calls) commands += call == null ? 0 : call.commands.size();
    }
    return Math.clamp(Math.ceilDiv(commands, MAX_IN_FLIGHT), MIN_SHARE, MAX_BATCH);
  }

  private boolean tryReserve() {
    for (int now = inFlight.get(); now < MAX_IN_FLIGHT; now = inFlight.get()) {
      if (inFlight.compareAndSet(now, now + 1)) return true;
    }
    return false;
  }

  private void release(BatchCall call) {
    synchronized (calls) {
      for (int i = 0; i < MAX_IN_FLIGHT; i++) {
        if (calls[i] == call) calls[i] = null;
      }
    }
    inFlight.decrementAndGet();
  }

  private void send(BatchCall call) {
    try {
      var batch = new Batch(keys, connection.limitFormat());
      for (var command : call.commands) command.writeTo(batch);
      var reply = send(batch, clock.estimate(), RESENDS);
      deadline.recordSend(call.takenAt);
      var unused =
          reply.whenComplete((bytes, problem) -> {
            long took = deadline.now() - call.takenAt;
            if (problem == null) deliver(call, bytes);
            else fail(call, Failures.asStoreException(problem));
            roundTrips.onRoundTrip(call.commands.size(), took); // last, so that it delays no caller
          });
    } catch (RuntimeException e) {
      fail(call, new StoreException(Kind.OTHER, "the batch could not be sent: " + e, e));
    }
  }

  /**
   * Sends a batch with the ends of calendar windows around {@code estimate}. A server whose clock
   * is outside of these executes nothing and returns its time instead. The batch is then sent again
   * with the ends around that time.
   */
  private CompletionStage<byte[]> send(Batch batch, long estimate, int resends) {
    var reply = connection.decide(batch.keys(), batch.argument(clock.decisionTime(), estimate));
    if (!batch.hasCalendar()) return reply;
    return reply.thenCompose(bytes -> {
      long serverTime = -new MessagePackReader(bytes).next();
      if (serverTime <= 0) return CompletableFuture.completedStage(bytes);
      clock.record(serverTime);
      return resends > 0
          ? send(batch, serverTime, resends - 1)
          : CompletableFuture.failedStage(
              new StoreException(
                  Kind.OTHER,
                  "the clock of the server moved by more than a calendar window on each attempt",
                  null));
    });
  }

  /**
   * Delivers a reply. Commands that callbacks submit meanwhile are queued and sent together
   * afterwards, while the server works on the other calls.
   */
  private void deliver(BatchCall call, byte[] reply) {
    deadline.recordReply();
    release(call);
    delivering.incrementAndGet();
    try {
      call.deliver(reply);
    } catch (RuntimeException e) {
      call.fail(new StoreException(Kind.OTHER, "the reply could not be decoded: " + e, e));
    } finally {
      delivering.decrementAndGet();
      flush();
    }
  }

  private void fail(BatchCall call, StoreException problem) {
    release(call);
    call.fail(problem);
    flush();
  }

  boolean isIdle() {
    return inFlight.get() == 0 && queue.isEmpty();
  }

  /**
   * Returns whether a command, other than a background command, is pending and was submitted before
   * {@code then}.
   */
  boolean hasPendingSince(long then) {
    for (var command : queue) {
      if (!command.isDone() && !command.isBackground()) {
        if (command.since - then < 0) return true;
        break;
      }
    }
    for (var call : callsInFlight()) {
      if (call.hasPendingSince(then)) return true;
    }
    return false;
  }

  /**
   * Fails all commands submitted before {@code then}, except background commands. Those still
   * queued are never sent.
   *
   * @param sendingThen the cutoff for calls that are still being sent
   */
  void expire(long then, long sendingThen, StoreException problem) {
    // Commands that the server has come first: the others must not spend their permits. Runs
    // callbacks of callers, so not while holding the lock.
    for (var call : callsInFlight()) call.expire(then, sendingThen, problem);
    var unsent = problem.unsent();
    for (var command : queue) {
      if (command.since - then >= 0) break;
      if (!command.isBackground()) command.completeExceptionally(unsent);
    }
  }

  private List<BatchCall> callsInFlight() {
    var inFlight = new ArrayList<BatchCall>(MAX_IN_FLIGHT);
    synchronized (calls) {
      for (var call : calls) {
        if (call != null) inFlight.add(call);
      }
    }
    return inFlight;
  }
}
