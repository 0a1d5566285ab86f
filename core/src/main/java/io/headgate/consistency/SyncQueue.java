package io.headgate.consistency;

import java.util.Queue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reports and releases that wait to be sent to one failure domain: a part of the store that can be
 * unavailable by itself.
 *
 * <p>At most {@code mostAtOnce} are under way, and the next leaves when one is answered. So a burst
 * of reports neither waits in the store's queue until it is too late, nor makes checks wait there.
 * While the domain does not answer, each round sends so many as a probe. Memory is bounded by the
 * number of counters, since each waits here at most once.
 */
final class SyncQueue {
  private final Queue<LocalCounter> changed = new ConcurrentLinkedQueue<>(); // for the next round
  private final Queue<LocalCounter> due = new ConcurrentLinkedQueue<>();
  private final int mostAtOnce;
  private final Function<LocalCounter, @Nullable CompletionStage<?>> sender;
  private final AtomicInteger underWay = new AtomicInteger();
  private final AtomicInteger pumps = new AtomicInteger();
  private volatile int sent; // in this round
  private volatile boolean failing;
  private volatile long failingSince;

  /**
   * @param sender sends a counter's report, or gives up its hold; null if there is nothing to send
   */
  SyncQueue(int mostAtOnce, Function<LocalCounter, @Nullable CompletionStage<?>> sender) {
    this.mostAtOnce = mostAtOnce;
    this.sender = sender;
  }

  /** Sends the counter in the next round. */
  void changed(LocalCounter counter) {
    if (counter.enqueue()) changed.add(counter);
  }

  /** Sends the counter with the next {@link #pump}. */
  void urgent(LocalCounter counter) {
    if (counter.enqueue()) due.add(counter);
  }

  /** Begins a round, unless the last one is not through yet: that goes on then. */
  void round() {
    if (due.isEmpty()) {
      // Not those that come meanwhile: a busy counter would be reported without a pause.
      for (int left = changed.size(); left > 0; left--) {
        var next = changed.poll();
        if (next == null) break;
        due.add(next);
      }
    }
    sent = 0;
    pump();
  }

  /** Sends what may be sent. Thread-safe; one thread sends at a time. */
  void pump() {
    if (pumps.getAndIncrement() != 0) return;
    int seen = 1;
    while (seen != 0) {
      while (underWay.get() < mostAtOnce && (!failing || sent < mostAtOnce)) {
        var next = due.poll();
        if (next == null) break;
        send(next);
      }
      seen = pumps.addAndGet(-seen);
    }
  }

  @SuppressWarnings("NonAtomicVolatileUpdate") // one thread pumps at a time
  private void send(LocalCounter counter) {
    counter.dequeue();
    var answer = sender.apply(counter);
    if (answer == null) return;
    sent++;
    underWay.incrementAndGet();
    var unused =
        answer.whenComplete((done, problem) -> {
          underWay.decrementAndGet();
          pump();
        });
  }

  void answered() {
    failing = false;
  }

  void failed(long now) {
    if (failing) return;
    failingSince = now;
    failing = true;
  }

  /** Whether the domain has not answered for so long that local copies are worth little. */
  boolean isUnheard(long now) {
    return failing && now - failingSince > LocalCopy.UNHEARD_FOR;
  }

  /** Whether nothing is under way, and nothing more is sent before the next round. */
  boolean isIdle() {
    return underWay.get() == 0 && (due.isEmpty() || failing);
  }
}
