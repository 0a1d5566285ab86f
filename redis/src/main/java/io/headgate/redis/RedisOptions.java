package io.headgate.redis;

import io.headgate.consistency.ConsistencyOptions;
import io.headgate.outage.OutageListener;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * The options of a {@link RedisStore}. Immutable.
 *
 * @param address the servers to connect to
 * @param prefix the prefix of every key; instances with the same prefix share their counters
 * @param deadline how long a request waits for Redis before the failure policies of its rules
 *     decide. Time in which this process was stalled does not count, but a wait never exceeds ten
 *     deadlines or one second (or the deadline itself, if that is longer)
 * @param warmUpCalls how many of the first calls get the maximum wait instead of the deadline,
 *     since the code that they run is not compiled yet
 * @param ca a PEM file of certificates to trust instead of the system's, for {@code rediss://}
 * @param outageListener is notified of failures and outages
 * @param roundTripListener is notified of each round trip
 * @param consistency the settings of the consistency modes leased and eventual
 */
public record RedisOptions(
    RedisAddress address,
    String prefix,
    Duration deadline,
    int warmUpCalls,
    Optional<Path> ca,
    OutageListener outageListener,
    RoundTripListener roundTripListener,
    ConsistencyOptions consistency) {
  public static final String DEFAULT_PREFIX = "headgate:";
  public static final Duration DEFAULT_DEADLINE = Duration.ofMillis(50);
  public static final int DEFAULT_WARM_UP_CALLS = 100;
  public static final int MAX_PREFIX_LENGTH = 64;

  public RedisOptions {
    require(
        prefix.length() <= MAX_PREFIX_LENGTH && prefix.chars().allMatch(c -> isPlain((char) c)),
        "a key prefix may have %d letters, digits or any of . _ - / : @, got '%s'",
        MAX_PREFIX_LENGTH,
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
   * Returns the default options for an address.
   *
   * @param uri an address in a form that {@link RedisAddress#parse} accepts
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
    return new RedisOptions(
        address, prefix, deadline, warmUpCalls, ca, outageListener, roundTripListener, consistency);
  }

  public RedisOptions withDeadline(Duration deadline) {
    return new RedisOptions(
        address, prefix, deadline, warmUpCalls, ca, outageListener, roundTripListener, consistency);
  }

  public RedisOptions withWarmUpCalls(int warmUpCalls) {
    return new RedisOptions(
        address, prefix, deadline, warmUpCalls, ca, outageListener, roundTripListener, consistency);
  }

  /** Trusts the certificates of a PEM file instead of the system's. */
  public RedisOptions withCa(Path ca) {
    return new RedisOptions(
        address,
        prefix,
        deadline,
        warmUpCalls,
        Optional.of(ca),
        outageListener,
        roundTripListener,
        consistency);
  }

  public RedisOptions withOutageListener(OutageListener outageListener) {
    return new RedisOptions(
        address, prefix, deadline, warmUpCalls, ca, outageListener, roundTripListener, consistency);
  }

  public RedisOptions withRoundTripListener(RoundTripListener roundTripListener) {
    return new RedisOptions(
        address, prefix, deadline, warmUpCalls, ca, outageListener, roundTripListener, consistency);
  }

  public RedisOptions withConsistency(ConsistencyOptions consistency) {
    return new RedisOptions(
        address, prefix, deadline, warmUpCalls, ca, outageListener, roundTripListener, consistency);
  }

  private static boolean isPlain(char c) {
    return Character.isLetterOrDigit(c) ? c < 128 : "._-/:@".indexOf(c) >= 0;
  }

  private static void require(boolean ok, String message, Object... values) {
    if (!ok) throw new IllegalArgumentException(message.formatted(values));
  }
}
