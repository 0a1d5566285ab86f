package io.headgate.redis;

import io.headgate.consistency.ConsistencyOptions;
import io.headgate.outage.OutageListener;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * Where Redis is and how to use it.
 *
 * @param prefix what every key begins with; instances that are to share their counts have the same
 * @param deadline how long a request waits for Redis before its rules' policy decides; time in
 *     which this process was held up does not count, up to ten deadlines or a second in all
 * @param warmUpCalls how many calls are given the longest wait at first: the code that they run is
 *     cold, which the store has no part in
 * @param ca a file of certificates (PEM) to trust instead of the system's, for {@code rediss://}
 * @param listener hears of outages
 * @param calls hears of each call to the server
 * @param near what rules that are leased or eventual let this instance decide by itself
 */
public record RedisOptions(
    RedisAddress address,
    String prefix,
    Duration deadline,
    int warmUpCalls,
    Optional<Path> ca,
    OutageListener listener,
    RoundTripListener calls,
    ConsistencyOptions near) {
  public static final String DEFAULT_PREFIX = "headgate:";
  public static final Duration DEFAULT_DEADLINE = Duration.ofMillis(50);
  public static final int DEFAULT_WARM_UP_CALLS = 100;
  public static final int LONGEST_PREFIX = 64;

  public RedisOptions {
    require(
        prefix.length() <= LONGEST_PREFIX && prefix.chars().allMatch(c -> isPlain((char) c)),
        "a key prefix may have %d letters, digits or any of . _ - / : @, got '%s'",
        LONGEST_PREFIX,
        prefix);
    require(
        deadline.compareTo(Duration.ofMillis(1)) >= 0
            && deadline.compareTo(Duration.ofMinutes(1)) <= 0,
        "the deadline of a call must be 1 ms to 1 min, got %s",
        deadline);
    require(
        warmUpCalls >= 0, "the number of warm-up calls must not be negative, got %d", warmUpCalls);
  }

  /**
   * @param uri as {@link RedisAddress#parse} takes it
   */
  public static RedisOptions of(String uri) {
    return new RedisOptions(
        RedisAddress.parse(uri),
        DEFAULT_PREFIX,
        DEFAULT_DEADLINE,
        DEFAULT_WARM_UP_CALLS,
        Optional.empty(),
        OutageListener.NONE,
        RoundTripListener.NONE,
        ConsistencyOptions.DEFAULT);
  }

  public RedisOptions withPrefix(String prefix) {
    return new RedisOptions(address, prefix, deadline, warmUpCalls, ca, listener, calls, near);
  }

  public RedisOptions withDeadline(Duration deadline) {
    return new RedisOptions(address, prefix, deadline, warmUpCalls, ca, listener, calls, near);
  }

  public RedisOptions withWarmUpCalls(int warmUpCalls) {
    return new RedisOptions(address, prefix, deadline, warmUpCalls, ca, listener, calls, near);
  }

  public RedisOptions trusting(Path ca) {
    return new RedisOptions(
        address, prefix, deadline, warmUpCalls, Optional.of(ca), listener, calls, near);
  }

  public RedisOptions withListener(OutageListener listener) {
    return new RedisOptions(address, prefix, deadline, warmUpCalls, ca, listener, calls, near);
  }

  public RedisOptions withCalls(RoundTripListener calls) {
    return new RedisOptions(address, prefix, deadline, warmUpCalls, ca, listener, calls, near);
  }

  public RedisOptions withNear(ConsistencyOptions near) {
    return new RedisOptions(address, prefix, deadline, warmUpCalls, ca, listener, calls, near);
  }

  private static boolean isPlain(char c) {
    return Character.isLetterOrDigit(c) ? c < 128 : "._-/:@".indexOf(c) >= 0;
  }

  private static void require(boolean ok, String message, Object... values) {
    if (!ok) throw new IllegalArgumentException(message.formatted(values));
  }
}
