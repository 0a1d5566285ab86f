package io.headgate.server.quota;

import io.headgate.rule.Counter;
import io.headgate.store.HoldStore;
import io.headgate.store.HoldStore.Target;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The holds of this instance at all counters, and its requests to the store. Requests for one
 * counter are batched: one is in flight, and all buckets that wait are served by the next.
 *
 * <p>Guarded by the lock of its {@link QuotaBook}, which the replies of the store acquire.
 *
 * @param <B> the identity of a bucket in the protocol
 */
final class HoldRequests<B> {
  private static final Logger LOG = LoggerFactory.getLogger(HoldRequests.class);

  /** A counter, the key of its state, and the store that has it. */
  private record CounterName(HoldStore store, Counter counter, String key) {}

  private final LongSupplier nanos;
  private final long lease;
  private final long syncInterval;
  private final Object lock;
  private final Consumer<QuotaBucket<B>> served;
  private final Runnable flush;
  private final long holder = new SecureRandom().nextLong(HoldStore.HOLDER_IDS);
  private final Map<CounterName, CounterHold> holds =
      new ConcurrentHashMap<>(); // read without a lock
  private long order;

  /**
   * Creates the requests of a book.
   *
   * @param served receives each bucket whose counters have all replied in time
   * @param flush is run after all buckets of a reply were served
   */
  HoldRequests(
      QuotaSettings settings,
      LongSupplier nanos,
      Object lock,
      Consumer<QuotaBucket<B>> served,
      Runnable flush) {
    this.nanos = nanos;
    this.lease = settings.leaseMicros();
    this.syncInterval = Math.min(settings.roundTrip().toNanos(), settings.ttl().toNanos() / 4);
    this.lock = lock;
    this.served = served;
    this.flush = flush;
  }

  /** Returns the holds at the counters of these targets, with the limits that they have now. */
  List<CounterHold> of(List<Target> targets, long now) {
    var found = new ArrayList<CounterHold>(targets.size());
    for (var target : targets) {
      var charge = target.charge();
      var hold =
          holds.computeIfAbsent(
              new CounterName(target.store(), charge.counter(), charge.key()),
              name -> new CounterHold(target.store(), charge, now));
      hold.adopt(charge);
      found.add(hold);
    }
    return found;
  }

  /** Makes a bucket wait for the replies of all of its counters. */
  void await(QuotaBucket<B> bucket) {
    if (bucket.pending > 0) return;
    bucket.pending = bucket.holds.size();
    for (var hold : bucket.holds) hold.await(bucket);
    for (var hold : bucket.holds) request(hold);
  }

  /** Charges or releases permits for which no bucket waits, and drops unused holds. */
  void sync(long now) {
    for (var hold : List.copyOf(holds.values())) {
      if (hold.needsSync(now, syncInterval)) request(hold);
    }
    holds.values().removeIf(CounterHold::isUnused);
  }

  /** Returns the permits of all assignments; needs no lock. */
  long outstanding() {
    long sum = 0;
    for (var hold : holds.values()) sum += hold.outstanding();
    return sum;
  }

  private void request(CounterHold hold) {
    if (hold.isRequesting()) return;
    var prepared = hold.prepare(holder, ++order, lease, nanos.getAsLong());
    CompletionStage<HoldStore.Reply> reply;
    try {
      reply = hold.store().hold(hold.charge(), prepared.request());
    } catch (RuntimeException e) {
      failed(hold, prepared, e);
      return;
    }
    var unused =
        reply.whenComplete((granted, problem) -> {
          synchronized (lock) {
            if (problem != null) failed(hold, prepared, problem);
            else granted(hold, prepared, granted);
            flush.run();
          }
        });
  }

  /** Ends the wait of all buckets; their next reports make them wait again. */
  private void failed(CounterHold hold, CounterHold.Prepared prepared, Throwable problem) {
    LOG.debug(
        "cannot hold permits of {}; its assignments are not extended", hold.charge(), problem);
    for (var bucket : hold.failed(prepared)) {
      bucket.failed = --bucket.pending > 0;
    }
  }

  @SuppressWarnings("unchecked") // all buckets of one book have ids of type B
  private void granted(CounterHold hold, CounterHold.Prepared prepared, HoldStore.Reply reply) {
    if (!hold.granted(prepared, reply)) {
      for (var bucket : prepared.buckets()) hold.await(bucket);
      request(hold);
      return;
    }
    long now = nanos.getAsLong();
    for (var waiting : prepared.buckets()) {
      var bucket = (QuotaBucket<B>) waiting;
      if (--bucket.pending > 0) continue;
      if (!bucket.failed && isTimely(bucket, now)) served.accept(bucket);
      bucket.failed = false;
    }
    if (hold.hasWaiting()) request(hold);
  }

  /** Returns whether the leases of all counters outlast an assignment that is sent now. */
  private static boolean isTimely(QuotaBucket<?> bucket, long now) {
    for (var hold : bucket.holds) {
      if (now - hold.grantedAt() > QuotaSettings.PROCESSING.toNanos()) return false;
    }
    return !bucket.holds.isEmpty();
  }
}
