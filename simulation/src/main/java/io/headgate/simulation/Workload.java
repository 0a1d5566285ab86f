package io.headgate.simulation;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Generates limits, requests and faults for scenarios. */
final class Workload {
  static final long MS = 1_000;
  static final long SECOND = 1_000_000;

  private final Dice dice;
  final List<Event> events = new ArrayList<>();

  Workload(Dice dice) {
    this.dice = dice;
  }

  static Rate rate(long permits, long micros) {
    return Rate.of(permits, Duration.of(micros, ChronoUnit.MICROS));
  }

  /** Returns a limit whose permits an instance can hold or count locally. */
  Limit holdable(long permits, long window) {
    var rate = rate(permits, window);
    return switch (dice.index(4)) {
      case 0, 1 ->
          TokenBucket.of(rate).withBurst(dice.oneIn(3) ? Math.max(1, permits / 2) : permits);
      case 2 -> FixedWindow.of(rate);
      default -> SlidingWindow.of(rate).withBound(dice.any(SlidingWindow.Bound.values()));
    };
  }

  /** Returns a limit of any algorithm except concurrency. */
  Limit anyLimit(long permits, long window) {
    return switch (dice.index(6)) {
      case 0 -> RollingWindow.of(rate(permits, window));
      case 1 -> LeakyBucket.of(rate(permits, window)).withQueue(permits);
      default -> holdable(permits, window);
    };
  }

  /** Adds requests at random times, some of them in bursts. */
  void requests(long from, long until, int count, int nodes, int keys, long maxCost) {
    for (int remaining = count; remaining > 0; ) {
      long at = dice.between(from, until);
      int burst = dice.oneIn(3) ? (int) dice.between(1, Math.min(remaining, 20)) : 1;
      var key = "u" + dice.index(keys);
      for (int i = 0; i < burst; i++, remaining--) {
        long cost = dice.oneIn(6) ? dice.between(1, maxCost) : 1;
        request(at + (i == 0 ? 0 : dice.below(2 * MS)), dice.index(nodes), key, cost);
      }
    }
  }

  /** Adds requests of one caller at regular intervals, to the instances in turn. */
  void steady(long from, long until, long interval, int nodes, String key) {
    int turn = 0;
    for (long at = from; at < until; at += interval) request(at, turn++ % nodes, key, 1);
  }

  /** Adds one request. */
  void request(long at, int node, String key, long cost) {
    events.add(new Event.Arrival(at, node, Map.of("user", key), cost, 0));
  }

  /** Adds faults between two times; all end before the second. */
  void faults(long from, long until, int count, int nodes, int shards, boolean failovers) {
    faults(from, until, count, nodes, shards, failovers, true);
  }

  /**
   * As above.
   *
   * @param duplicates whether requests may arrive twice, which neither TCP nor the client causes;
   *     if not, replies are lost instead
   */
  void faults(
      long from,
      long until,
      int count,
      int nodes,
      int shards,
      boolean failovers,
      boolean duplicates) {
    for (int i = 0; i < count; i++) {
      long at = dice.between(from, until - 2);
      long max = Math.max(1, until - at - 1);
      long duration = Math.min(max, dice.scale(5 * MS, 3 * SECOND));
      int node = dice.index(nodes);
      int shard = dice.index(shards);
      events.add(
          switch (dice.index(8)) {
            case 0 -> new Event.Crash(at, node, duration);
            case 1 -> new Event.Pause(at, node, duration);
            case 2 -> new Event.Cut(at, node, shard, duration);
            case 3 ->
                new Event.NetworkFault(at, node, shard, duration, (int) dice.below(400), 0, 0, 0);
            case 4 ->
                new Event.NetworkFault(at, node, shard, duration, 0, (int) dice.below(400), 0, 0);
            case 5 ->
                new Event.NetworkFault(
                    at, node, shard, duration, 0, 0, 0, dice.scale(MS, 200 * MS));
            case 6 -> {
              int share = (int) dice.below(300);
              yield duplicates
                  ? new Event.NetworkFault(at, node, shard, duration, 0, 0, share, 0)
                  : new Event.NetworkFault(at, node, shard, duration, 0, share, 0, 0);
            }
            default ->
                new Event.Outage(
                    at, shard, duration, dice.oneIn(2), failovers ? dice.scale(MS, 500 * MS) : 0);
          });
    }
  }
}
