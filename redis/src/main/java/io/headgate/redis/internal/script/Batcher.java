package io.headgate.redis.internal.script;

import io.headgate.store.StoreException;
import io.headgate.store.StoreException.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Asks on their way to one server.
 *
 * <p>While nothing is on its way, an ask leaves at once. Those that come while {@link #AT_ONCE}
 * calls are out wait, and leave together when one comes back: nobody waits for company, and the
 * busier it is the fewer calls it takes. Together they cost the server half, and the client a
 * third, of what they do one by one; and if they are for one key, a seventh of either.
 *
 * <p>With two calls out, each side sleeps whenever the other is done a little later, and is woken
 * again, which takes longer than a call of 16: 64 callers of one key had 550,000 answers a second
 * where they have 800,000 with four.
 */
public final class Batcher {
  static final int LARGEST_BATCH = 128;
  public static final int AT_ONCE = 4;
  private static final int SMALLEST_SHARE = 16;
  private static final int MOST_WAITING = 10_000;

  /** Ends a batch early: the server decides nothing else while it runs one. */
  private static final long MOST_EXTRA_WORK = 1_000;

  /** Sends a batch; gives what the script said, or fails. */
  public interface Sender {
    void send(Call call);
  }

  private final Sender sender;
  private final LongSupplier nanos;
  private final Queue<ScriptCommand<?>> waiting = new ConcurrentLinkedQueue<>();
  private final AtomicInteger length = new AtomicInteger();
  private final AtomicInteger out = new AtomicInteger();
  private final AtomicInteger answering = new AtomicInteger();
  private final @Nullable Call[] calls = new @Nullable Call[AT_ONCE]; // guarded by itself

  public Batcher(Sender sender) {
    this(sender, System::nanoTime);
  }

  /**
   * @param nanos a steady clock
   */
  public Batcher(Sender sender, LongSupplier nanos) {
    this.sender = sender;
    this.nanos = nanos;
  }

  public void submit(ScriptCommand<?> ask) {
    ask.since = nanos.getAsLong();
    if (length.incrementAndGet() > MOST_WAITING) {
      length.decrementAndGet();
      ask.completeExceptionally(
          new StoreException(Kind.OVERLOADED, MOST_WAITING + " requests wait for Redis", null)
              .unsent());
      return;
    }
    waiting.add(ask);
    if (answering.get() == 0 || length.get() >= LARGEST_BATCH) pump();
  }

  private void pump() {
    while (!waiting.isEmpty() && start()) {
      var call = take();
      if (call.asks.isEmpty()) {
        finish(call);
      } else {
        sender.send(call);
        call.sending = false;
      }
    }
  }

  /** Those that gave up waiting are left out: they are not sent, so not charged. */
  private Call take() {
    var call = new Call();
    int share = share();
    long work = 0;
    for (ScriptCommand<?> ask;
        call.asks.size() < share && work < MOST_EXTRA_WORK && (ask = waiting.poll()) != null; ) {
      length.decrementAndGet();
      if (ask.isDone()) continue;
      call.asks.add(ask);
      work += ask.extraWork();
    }
    synchronized (calls) {
      for (int i = 0; i < AT_ONCE; i++) {
        if (calls[i] == null) {
          calls[i] = call;
          return call;
        }
      }
    }
    throw new IllegalStateException("more calls than may be out");
  }

  /**
   * How many may leave in one call: not all, or the other calls would have nothing to bring.
   * Callers who are answered together ask together, so that 61, 1, 1 and 1 would stay so, and
   * either the server or the client would always be idle. Small shares are not worth the calls.
   */
  private int share() {
    int asks = length.get();
    synchronized (calls) {
      for (var call : calls) asks += call == null ? 0 : call.asks.size();
    }
    return Math.clamp(Math.ceilDiv(asks, AT_ONCE), SMALLEST_SHARE, LARGEST_BATCH);
  }

  private boolean start() {
    for (int now = out.get(); now < AT_ONCE; now = out.get()) {
      if (out.compareAndSet(now, now + 1)) return true;
    }
    return false;
  }

  private void finish(Call call) {
    synchronized (calls) {
      for (int i = 0; i < AT_ONCE; i++) {
        if (calls[i] == call) calls[i] = null;
      }
    }
    out.decrementAndGet();
  }

  boolean isIdle() {
    return out.get() == 0 && waiting.isEmpty();
  }

  /** Whether something has been waiting since before then. */
  boolean hasWaitedSince(long then) {
    for (var ask : waiting) {
      if (!ask.isDone() && !ask.isBackground()) {
        if (ask.since - then < 0) return true;
        break;
      }
    }
    for (var call : out()) {
      if (call.hasWaitedSince(then)) return true;
    }
    return false;
  }

  /** Ends the wait of all that have been asking since before then; they are not asked again. */
  void expire(long then, StoreException problem) {
    expire(then, then, problem);
  }

  /**
   * @param handingOver the same for calls that the sending thread has not handed over yet: the
   *     store can't have answered these
   */
  void expire(long then, long handingOver, StoreException problem) {
    var unsent = problem.unsent();
    for (var ask : waiting) {
      if (ask.since - then >= 0) break;
      if (!ask.isBackground()) ask.completeExceptionally(unsent);
    }
    // Runs what callers do next: not in a lock.
    for (var call : out()) call.expire(call.sending ? handingOver : then, problem);
  }

  private List<Call> out() {
    var out = new ArrayList<Call>(AT_ONCE);
    synchronized (calls) {
      for (var call : calls) {
        if (call != null) out.add(call);
      }
    }
    return out;
  }

  /** Some asks that go together. */
  public final class Call {
    public final List<ScriptCommand<?>> asks = new ArrayList<>();
    final long since = nanos.getAsLong();
    private volatile boolean sending = true;

    /**
     * What these callers ask next, on hearing the answer, leaves together. Meanwhile the server is
     * at work on the other calls.
     */
    public void end(byte[] said) {
      finish(this);
      answering.incrementAndGet();
      try {
        var heard = new ReplyReader(said);
        for (var ask : asks) ask.answer(heard);
      } catch (RuntimeException e) {
        fail(new StoreException(Kind.OTHER, "the answer can't be read: " + e, e));
      } finally {
        answering.decrementAndGet();
        pump();
      }
    }

    public void end(StoreException problem) {
      finish(this);
      fail(problem);
      pump();
    }

    private boolean hasWaitedSince(long then) {
      for (var ask : asks) {
        if (ask.since - then < 0 && !ask.isDone() && !ask.isBackground()) return true;
      }
      return false;
    }

    private void expire(long then, StoreException problem) {
      for (var ask : asks) {
        if (ask.since - then < 0 && !ask.isBackground()) ask.completeExceptionally(problem);
      }
    }

    private void fail(StoreException problem) {
      for (var ask : asks) ask.completeExceptionally(problem);
    }
  }
}
