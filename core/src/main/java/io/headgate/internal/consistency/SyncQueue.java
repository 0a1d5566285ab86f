package io.headgate.internal.consistency;

import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The queue of local counters whose reports and releases are to be sent to one failure domain of
 * the store.
 *
 * <p>At most {@code maxInFlight} are in flight, and the next is sent when one completes. A burst of
 * reports therefore neither times out in the store's queue nor delays checks there. While the
 * domain fails, each round sends up to {@code maxInFlight} as a probe. Memory is bounded by the
 * number of counters, since a counter is queued at most once.
 *
 * <p>Thread-safe, except that {@link #startRound} is called by one thread at a time.
 */
final class SyncQueue {
  private final Queue<LocalCounter> nextRound = new ConcurrentLinkedQueue<>();
  private final Queue<LocalCounter> due = new ConcurrentLinkedQueue<>();
  private final int maxInFlight;
  private final Function<LocalCounter, @Nullable CompletionStage<?>> sender;
  private final Runnable waker;
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicInteger sendRequests = new AtomicInteger(); // calls of sendDue not yet served
  private volatile int sentInRound;
  private volatile boolean failing;
  private volatile long failingSince;

  /**
   * Creates an empty queue.
   *
   * @param sender sends a counter's report or releases its hold; returns null if neither is needed
   * @param waker makes another thread call {@link #sendDue} soon
   */
  SyncQueue(
      int maxInFlight,
      Function<LocalCounter, @Nullable CompletionStage<?>> sender,
      Runnable waker) {
    this.maxInFlight = maxInFlight;
    this.sender = sender;
    this.waker = waker;
  }

  /** Queues the counter for the next round. */
  void enqueue(LocalCounter counter) {
    if (counter.markQueued()) nextRound.add(counter);
  }

  /** Queues the counter for the next call of {@link #sendDue}. */
  void enqueueUrgent(LocalCounter counter) {
    if (counter.markQueued()) due.add(counter);
  }

  /**
   * Queues the counter to be sent soon, even if it is queued for the next round. The entry for the
   * next round is skipped then.
   */
  void enqueueAhead(LocalCounter counter) {
    var unused = counter.markQueued();
    due.add(counter);
    waker.run();
  }

  /** Starts a round, or continues the last one if not all of its counters have been sent. */
  void startRound() {
    if (due.isEmpty()) {
      // Excludes counters queued meanwhile: a busy counter would be reported without a pause.
      for (int left = nextRound.size(); left > 0; left--) {
        var next = nextRound.poll();
        if (next == null) break;
        due.add(next);
      }
    }
    sentInRound = 0;
    sendDue();
  }

  /**
   * Sends the due counters, as far as the maximum in flight permits. One thread sends at a time.
   */
  void sendDue() {
    if (sendRequests.getAndIncrement() != 0) return;
    int seen = 1;
    while (seen != 0) {
      while (inFlight.get() < maxInFlight && (!failing || sentInRound < maxInFlight)) {
        var next = due.poll();
        if (next == null) break;
        send(next);
      }
      seen = sendRequests.addAndGet(-seen);
    }
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // one thread sends at a time
  private void send(LocalCounter counter) {
    if (!counter.clearQueued()) return; // sent ahead of its round
    var reply = sender.apply(counter);
    if (reply == null) return;
    sentInRound++;
    inFlight.incrementAndGet();
    var unused =
        reply.whenComplete((done, problem) -> {
          inFlight.decrementAndGet();
          sendDue();
        });
  }

  /** Records that the domain has replied. */
  void succeeded() {
    failing = false;
  }

  /** Records that the domain has failed to reply. */
  void failed(long now) {
    if (failing) return;
    failingSince = now;
    failing = true;
  }

  /** Returns whether the domain has failed for {@link LocalCopy#STALE_AFTER}. */
  boolean isStale(long now) {
    return failing && now - failingSince > LocalCopy.STALE_AFTER;
  }

  /** Returns whether nothing is in flight and nothing will be sent before the next round. */
  boolean isIdle() {
    return inFlight.get() == 0 && (due.isEmpty() || failing);
  }
}
