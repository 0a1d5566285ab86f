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

/** Makes limits, requests and faults for scenarios. */
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

  /** A limit whose permits instances can hold or count. */
  Limit divisible(long permits, long window) {
    var rate = rate(permits, window);
    return switch (dice.index(4)) {
      case 0, 1 -> new TokenBucket(rate, dice.oneIn(3) ? Math.max(1, permits / 2) : permits);
      case 2 -> FixedWindow.of(rate);
      default -> new SlidingWindow(rate, 10, dice.any(SlidingWindow.Bound.values()));
    };
  }

  /** A limit of any algorithm that counts by time. */
  Limit anyLimit(long permits, long window) {
    return switch (dice.index(6)) {
      case 0 -> RollingWindow.of(rate(permits, window));
      case 1 -> LeakyBucket.queueing(rate(permits, window), permits);
      default -> divisible(permits, window);
    };
  }

  /** Requests at random times, in crowds as often as alone. */
  void asks(long from, long until, int count, int nodes, int keys, long mostCost) {
    for (int left = count; left > 0; ) {
      long at = dice.between(from, until);
      int crowd = dice.oneIn(3) ? (int) dice.between(1, Math.min(left, 20)) : 1;
      var key = "u" + dice.index(keys);
      for (int i = 0; i < crowd; i++, left--) {
        long cost = dice.oneIn(6) ? dice.between(1, mostCost) : 1;
        ask(at + (i == 0 ? 0 : dice.below(2 * MS)), dice.index(nodes), key, cost);
      }
    }
  }

  /** Requests of one caller at even times, by turns of the instances. */
  void steady(long from, long until, long every, int nodes, String key) {
    int turn = 0;
    for (long at = from; at < until; at += every) ask(at, turn++ % nodes, key, 1);
  }

  void ask(long at, int node, String key, long cost) {
    events.add(new Event.Ask(at, node, Map.of("user", key), cost, 0));
  }

  /** Faults between two times, all of which are over some time before the second. */
  void faults(long from, long until, int count, int nodes, int shards, boolean failovers) {
    faults(from, until, count, nodes, shards, failovers, true);
  }

  /**
   * @param duplicates whether requests may arrive twice, which neither TCP nor the client does;
   *     replies are lost instead where they may not
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
      long most = Math.max(1, until - at - 1);
      long lasts = Math.min(most, dice.scale(5 * MS, 3 * SECOND));
      int node = dice.index(nodes);
      int shard = dice.index(shards);
      events.add(
          switch (dice.index(8)) {
            case 0 -> new Event.Crash(at, node, lasts);
            case 1 -> new Event.Pause(at, node, lasts);
            case 2 -> new Event.Cut(at, node, shard, lasts);
            case 3 -> new Event.Weather(at, node, shard, lasts, (int) dice.below(400), 0, 0, 0);
            case 4 -> new Event.Weather(at, node, shard, lasts, 0, (int) dice.below(400), 0, 0);
            case 5 -> new Event.Weather(at, node, shard, lasts, 0, 0, 0, dice.scale(MS, 200 * MS));
            case 6 -> {
              int often = (int) dice.below(300);
              yield duplicates
                  ? new Event.Weather(at, node, shard, lasts, 0, 0, often, 0)
                  : new Event.Weather(at, node, shard, lasts, 0, often, 0, 0);
            }
            default ->
                new Event.Outage(
                    at, shard, lasts, dice.oneIn(2), failovers ? dice.scale(MS, 500 * MS) : 0);
          });
    }
  }
}
