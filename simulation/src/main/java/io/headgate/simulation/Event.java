package io.headgate.simulation;

import java.util.Map;

/** What happens in a run from outside: requests, faults, changes. Times are µs from the start. */
sealed interface Event {
  long at();

  /** The event with the times of others: how a shrunk history reads. */
  private static String time(long micros) {
    return "%d.%06d s".formatted(micros / 1_000_000, micros % 1_000_000);
  }

  /**
   * A request.
   *
   * @param holdFor how long its slot is in use, where a limit counts requests in flight
   */
  record Ask(long at, int node, Map<String, String> subject, long cost, long holdFor)
      implements Event {
    @Override
    public String toString() {
      return "%s  instance %d checks %s at cost %d".formatted(time(at), node, subject, cost);
    }
  }

  /** An instance begins to use other rules; instances learn of a change at different times. */
  record Change(long at, int node, int rules) implements Event {
    @Override
    public String toString() {
      return "%s  instance %d changes to rule set %d".formatted(time(at), node, rules);
    }
  }

  /** An instance dies; another takes its place after a while. */
  record Crash(long at, int node, long downFor) implements Event {
    @Override
    public String toString() {
      return "%s  instance %d crashes, another starts after %s"
          .formatted(time(at), node, time(downFor));
    }
  }

  /** A whole process does not run; its timers are late. */
  record Pause(long at, int node, long lasts) implements Event {
    @Override
    public String toString() {
      return "%s  instance %d is held up for %s".formatted(time(at), node, time(lasts));
    }
  }

  /** A connection is reset, and can be made again after a while. */
  record Cut(long at, int node, int shard, long lasts) implements Event {
    @Override
    public String toString() {
      return "%s  connection of instance %d to shard %d is cut for %s"
          .formatted(time(at), node, shard, time(lasts));
    }
  }

  /** Messages of a connection are lost, delayed or delivered twice. */
  record Weather(
      long at,
      int node,
      int shard,
      long lasts,
      int lostRequests,
      int lostReplies,
      int twice,
      long delay)
      implements Event {
    @Override
    public String toString() {
      return "%s  network from instance %d to shard %d for %s: loses %d‰ of requests and %d‰ of replies, delivers %d‰ twice, delays up to %d µs"
          .formatted(time(at), node, shard, time(lasts), lostRequests, lostReplies, twice, delay);
    }
  }

  /**
   * A server is gone for a while.
   *
   * @param silent whether connections stay open, as those of a stopped process do
   * @param lostTail how much of its last time the server that follows it does not know
   */
  record Outage(long at, int shard, long lasts, boolean silent, long lostTail) implements Event {
    @Override
    public String toString() {
      return "%s  shard %d is %s for %s, and comes back without its last %s"
          .formatted(time(at), shard, silent ? "stopped" : "dead", time(lasts), time(lostTail));
    }
  }
}
