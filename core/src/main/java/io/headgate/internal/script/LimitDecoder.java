package io.headgate.internal.script;

import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FairShare;
import io.headgate.limit.FairSharing;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.limit.Window;
import io.headgate.rule.Counter;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import java.time.Duration;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Decodes the limits of a batch. A decoded limit computes the same numbers as the original; its
 * name, and the names of tenants, are not part of the encoding. Keeps what it has decoded. Not
 * thread-safe.
 */
final class LimitDecoder {
  private static final String NAME = "script";
  private static final int MAX_KNOWN = 10_000;
  private static final long DAY_MICROS = 86_400_000_000L;

  private record Encoded(List<Long> numbers, String zone) {}

  private final LimitFormat format;
  private final boolean untrusted;
  private final Map<Encoded, Counter> known = new HashMap<>();

  LimitDecoder(LimitFormat format) {
    this(format, false);
  }

  private LimitDecoder(LimitFormat format, boolean untrusted) {
    this.format = format;
    this.untrusted = untrusted;
  }

  /**
   * Returns a decoder of limits for Redis that another region has encoded. It rejects numbers that
   * contradict each other, which the Lua code would compute with. It takes calendar windows for
   * days of UTC, since only Redis needs their ends.
   */
  static LimitDecoder ofUntrusted() {
    return new LimitDecoder(LimitFormat.NUMBERS, true);
  }

  /** Reads a limit, and returns it as that of a counter. */
  Counter read(BatchReader in) {
    var numbers = new Long[LimitEncoding.COUNT];
    for (int i = 0; i < numbers.length; i++) numbers[i] = in.number();
    boolean calendar = numbers[0] == LimitEncoding.FIXED && numbers[3] == 0;
    if (calendar && untrusted) {
      requireEnds(numbers);
      Arrays.fill(numbers, 2, numbers.length, 0L);
      numbers[2] = numbers[3] = DAY_MICROS;
      calendar = false;
    }
    if (calendar && format != LimitFormat.CALENDARS) {
      throw new IllegalArgumentException("a batch has no time zone of a calendar window");
    }
    var encoded = new Encoded(Arrays.asList(numbers), calendar ? in.text() : "");
    var counter = known.get(encoded);
    if (counter != null) return counter;
    if (known.size() >= MAX_KNOWN) known.clear(); // limits that were changed many times
    var limit = limit(encoded.numbers, encoded.zone);
    if (untrusted) requireConsistent(limit, numbers);
    counter = counterOf(limit);
    known.put(encoded, counter);
    return counter;
  }

  /** Requires the signature of a calendar window, and three ends of windows of at most a year. */
  private static void requireEnds(Long[] numbers) {
    long start = numbers[LimitEncoding.UNIT];
    long end = numbers[LimitEncoding.UNIT + 1];
    long next = numbers[LimitEncoding.UNIT + 2];
    boolean valid =
        numbers[2] < 0
            && numbers[2] >= -1L << 32
            && start >= 0
            && start < end
            && end < next
            && next <= 1L << 53
            && end - start <= 366 * DAY_MICROS
            && next - end <= 366 * DAY_MICROS;
    if (!valid) throw new IllegalArgumentException("a batch has no ends of a calendar window");
  }

  /** Requires that the numbers are those with which the limit is encoded. */
  private static void requireConsistent(Limit limit, Long[] numbers) {
    var expected = LimitEncoding.of(limit, 0);
    for (int i = 0; i < expected.length; i++) {
      if (expected[i] == numbers[i]) continue;
      throw new IllegalArgumentException(
          "the numbers of a limit contradict each other: " + Arrays.toString(numbers));
    }
  }

  private static Counter counterOf(Limit limit) {
    var rule = Rule.named(NAME).limit(limit).build();
    return RuleSet.of(rule).counter(NAME, -1, NAME).orElseThrow();
  }

  private static Limit limit(List<Long> n, String zone) {
    return switch (n.get(0).intValue()) {
      case LimitEncoding.BUCKET -> {
        var rate = Rate.of(n.get(1), micros(n.get(2)));
        long waiting = n.get(3) - n.get(2);
        if (n.get(6) == 0) yield new TokenBucket(rate, n.get(4));
        if (n.get(6) < 0) yield new TokenBucket(rate, n.get(4), -1 - n.get(6));
        if (waiting == 0) yield LeakyBucket.of(rate);
        yield waiting % n.get(2) == 0
            ? LeakyBucket.of(rate).withQueue(waiting / n.get(2))
            : LeakyBucket.of(rate).withMaxWait(micros(waiting / n.get(1)));
      }
      case LimitEncoding.FIXED ->
          zone.isEmpty()
              ? FixedWindow.of(Rate.of(n.get(1), micros(n.get(3))))
              : new FixedWindow(
                  n.get(1), new Window.Calendar(unit(n.get(LimitEncoding.UNIT)), ZoneId.of(zone)));
      case LimitEncoding.SLIDING ->
          new SlidingWindow(
              Rate.of(n.get(1), micros(Math.multiplyExact(n.get(2), n.get(3)))),
              Math.toIntExact(n.get(2)),
              n.get(4) == 1 ? SlidingWindow.Bound.CONSERVATIVE : SlidingWindow.Bound.INTERPOLATED);
      case LimitEncoding.ROLLING ->
          new RollingWindow(Rate.of(n.get(1), micros(n.get(2))), micros(n.get(3)));
      case LimitEncoding.SLOTS ->
          n.get(3) == 0
              ? new Concurrency(n.get(1), micros(n.get(2)))
              : new AdaptiveConcurrency(n.get(3), n.get(1), n.get(4), micros(n.get(2)));
      case LimitEncoding.FAIR ->
          new FairShare(
              new TokenBucket(Rate.of(n.get(1), micros(n.get(2))), n.get(4)),
              FairSharing.among("tenant"));
      default -> throw new IllegalArgumentException("unknown algorithm: " + n);
    };
  }

  private static Window.Unit unit(long code) {
    for (var unit : Window.Unit.values()) {
      if (LimitEncoding.code(unit) == code) return unit;
    }
    throw new IllegalArgumentException("unknown calendar unit: " + code);
  }

  private static Duration micros(long micros) {
    return Duration.of(micros, ChronoUnit.MICROS);
  }
}
