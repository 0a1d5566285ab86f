package io.headgate.simulation;

import java.util.Map;

/** An input of a run: a request, a fault or a rule change. Times are in µs from the start. */
sealed interface Event {
  long at();

  /** Formats a time for the history. */
  private static String time(long micros) {
    return "%d.%06d s".formatted(micros / 1_000_000, micros % 1_000_000);
  }

  /**
   * A request.
   *
   * @param holdFor how long it holds its slot of a concurrency limit; 0 for until the slot expires
   */
  record Arrival(long at, int node, Map<String, String> subject, long cost, long holdFor)
      implements Event {
    @Override
    public String toString() {
      return "%s  instance %d checks %s at cost %d".formatted(time(at), node, subject, cost);
    }
  }

  /** A change of the rules of one instance. Instances change at different times. */
  record Change(long at, int node, int rules) implements Event {
    @Override
    public String toString() {
      return "%s  instance %d changes to rule set %d".formatted(time(at), node, rules);
    }
  }

  /** A crash of an instance; another replaces it later. */
  record Crash(long at, int node, long downFor) implements Event {
    @Override
    public String toString() {
      return "%s  instance %d crashes, another starts after %s"
          .formatted(time(at), node, time(downFor));
    }
  }

  /** A pause of a whole process, such as a long garbage collection; its timers are late. */
  record Pause(long at, int node, long lasts) implements Event {
    @Override
    public String toString() {
      return "%s  instance %d is paused for %s".formatted(time(at), node, time(lasts));
    }
  }

  /** A reset of a connection, which cannot be re-established for some time. */
  record Cut(long at, int node, int shard, long lasts) implements Event {
    @Override
    public String toString() {
      return "%s  connection of instance %d to shard %d is cut for %s"
          .formatted(time(at), node, shard, time(lasts));
    }
  }

  /** A time in which messages of a connection are lost, delayed or delivered twice. */
  record NetworkFault(
      long at,
      int node,
      int shard,
      long lasts,
      int lostRequests,
      int lostReplies,
      int duplicated,
      long delay)
      implements Event {
    @Override
    public String toString() {
      return "%s  network from instance %d to shard %d for %s: loses %d‰ of requests and %d‰ of replies, delivers %d‰ twice, delays up to %d µs"
          .formatted(
              time(at), node, shard, time(lasts), lostRequests, lostReplies, duplicated, delay);
    }
  }

  /**
   * An outage of a server.
   *
   * @param unresponsive whether connections stay open, as those of a stopped process do
   * @param lostTail the last period whose writes the promoted replica has not received, in µs
   */
  record Outage(long at, int shard, long lasts, boolean unresponsive, long lostTail)
      implements Event {
    @Override
    public String toString() {
      return "%s  shard %d is %s for %s, and comes back without its last %s"
          .formatted(
              time(at), shard, unresponsive ? "stopped" : "dead", time(lasts), time(lostTail));
    }
  }

  /**
   * A change of the owner of a shard's counters, in a cluster of instances.
   *
   * @param detectedAfter how long no member owns the counters, in µs
   * @param lasts how long the old owner and its part of the instances stay isolated, in µs
   * @param minority the instances on the side of an isolated owner, by their bits
   */
  record OwnerChange(long at, int shard, Kind kind, long detectedAfter, long lasts, long minority)
      implements Event {
    /** Why the owner changes. */
    enum Kind {
      /** The owner dies, and the member with the copy takes over. */
      CRASH,
      /** The owner hands its counters over to another member. */
      HAND_OVER,
      /** The owner is separated from the majority, whose member with the copy takes over. */
      ISOLATION
    }

    @Override
    public String toString() {
      return "%s  owner of shard %d changes (%s), detected after %s, isolated for %s with instances %s"
          .formatted(
              time(at),
              shard,
              kind,
              time(detectedAfter),
              time(lasts),
              Long.toBinaryString(minority));
    }
  }
}
