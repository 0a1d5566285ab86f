package io.headgate.redis;

import io.headgate.store.ConsistencyOptions;
import io.headgate.store.OutageListener;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** The options of a {@link RedisStore}. Immutable. {@link #builder} sets them. */
public final class RedisOptions implements RegionHome {
  /** The prefix of every key if none is set. */
  public static final String DEFAULT_PREFIX = "headgate:";

  /** The deadline of a request if none is set. */
  public static final Duration DEFAULT_DEADLINE = Duration.ofMillis(50);

  /** The number of warm-up calls if none is set. */
  public static final int DEFAULT_WARM_UP_CALLS = 100;

  /** The highest number of characters of a prefix. */
  public static final int MAX_PREFIX_LENGTH = 64;

  private final RedisAddress address;
  private final String prefix;
  private final KeyLayout layout;
  private final Duration deadline;
  private final int warmUpCalls;
  private final Optional<Path> ca;
  private final OutageListener outageListener;
  private final RoundTripListener roundTripListener;
  private final ConsistencyOptions consistency;

  private RedisOptions(Builder builder) {
    this.address = builder.address;
    this.prefix = builder.prefix;
    this.layout = builder.layout;
    this.deadline = builder.deadline;
    this.warmUpCalls = builder.warmUpCalls;
    this.ca = builder.ca;
    this.outageListener = builder.outageListener;
    this.roundTripListener = builder.roundTripListener;
    this.consistency = builder.consistency;
  }

  /**
   * Returns the default options for an address.
   *
   * @param uri an address in a form that {@link RedisAddress#parse} accepts
   * @throws IllegalArgumentException if the address is not valid
   */
  public static RedisOptions of(String uri) {
    return builder(uri).build();
  }

  /**
   * Starts from the default options for an address.
   *
   * @param uri an address in a form that {@link RedisAddress#parse} accepts
   * @throws IllegalArgumentException if the address is not valid
   */
  public static Builder builder(String uri) {
    return new Builder(RedisAddress.parse(uri));
  }

  /** Returns a builder with these options. */
  public Builder toBuilder() {
    return new Builder(address)
        .prefix(prefix)
        .layout(layout)
        .deadline(deadline)
        .warmUpCalls(warmUpCalls)
        .ca(ca)
        .outageListener(outageListener)
        .roundTripListener(roundTripListener)
        .consistency(consistency);
  }

  /** Returns the servers to connect to. */
  public RedisAddress address() {
    return address;
  }

  @Override
  public String location() {
    return address.toString();
  }

  /** Returns the prefix of every key; instances with the same prefix share their counters. */
  public String prefix() {
    return prefix;
  }

  /** Returns how counters are distributed over keys. */
  public KeyLayout layout() {
    return layout;
  }

  /**
   * Returns how long a request waits for Redis before the failure policies of its rules decide.
   * Time in which this process was stalled does not count, but a wait never exceeds ten deadlines
   * or one second (or the deadline itself, if that is longer).
   */
  @Override
  public Duration deadline() {
    return deadline;
  }

  /**
   * Returns how many of the first calls get the maximum wait instead of the deadline, since the
   * code that they run is not compiled yet.
   */
  public int warmUpCalls() {
    return warmUpCalls;
  }

  /** Returns a PEM file of certificates to trust instead of the system's, for {@code rediss://}. */
  public Optional<Path> ca() {
    return ca;
  }

  /** Returns the listener that is notified of failures and outages. */
  public OutageListener outageListener() {
    return outageListener;
  }

  /** Returns the listener that is notified of each round trip. */
  public RoundTripListener roundTripListener() {
    return roundTripListener;
  }

  /** Returns the options of the consistency modes leased, eventual and auto. */
  public ConsistencyOptions consistency() {
    return consistency;
  }

  /** Builds options from the settings that differ from the defaults. Not thread-safe. */
  public static final class Builder {
    private final RedisAddress address;
    private String prefix = DEFAULT_PREFIX;
    private KeyLayout layout = KeyLayout.SEPARATE;
    private Duration deadline = DEFAULT_DEADLINE;
    private int warmUpCalls = DEFAULT_WARM_UP_CALLS;
    private Optional<Path> ca = Optional.empty();
    private OutageListener outageListener = OutageListener.NONE;
    private RoundTripListener roundTripListener = RoundTripListener.NONE;
    private ConsistencyOptions consistency = ConsistencyOptions.DEFAULT;

    private Builder(RedisAddress address) {
      this.address = address;
    }

    /**
     * Sets the prefix of every key.
     *
     * @throws IllegalArgumentException if it has more than {@link #MAX_PREFIX_LENGTH} characters or
     *     others than letters, digits and {@code . _ - / : @}
     */
    public Builder prefix(String prefix) {
      require(
          prefix.length() <= MAX_PREFIX_LENGTH && prefix.chars().allMatch(c -> isPlain((char) c)),
          "a key prefix may have %d letters, digits or any of . _ - / : @, got '%s'",
          MAX_PREFIX_LENGTH,
          prefix);
      this.prefix = prefix;
      return this;
    }

    /**
     * Sets how counters are distributed over keys. All instances with the same servers and prefix
     * should have the same layout.
     */
    public Builder layout(KeyLayout layout) {
      this.layout = layout;
      return this;
    }

    /**
     * Sets how long a request waits for Redis; see {@link RedisOptions#deadline}.
     *
     * @throws IllegalArgumentException if it is not from 1 ms to 1 min
     */
    public Builder deadline(Duration deadline) {
      require(
          deadline.compareTo(Duration.ofMillis(1)) >= 0
              && deadline.compareTo(Duration.ofMinutes(1)) <= 0,
          "the deadline of a call must be 1 ms to 1 min, got %s",
          deadline);
      this.deadline = deadline;
      return this;
    }

    /**
     * Sets how many of the first calls get the maximum wait instead of the deadline.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public Builder warmUpCalls(int warmUpCalls) {
      require(
          warmUpCalls >= 0,
          "the number of warm-up calls must not be negative, got %d",
          warmUpCalls);
      this.warmUpCalls = warmUpCalls;
      return this;
    }

    /** Sets a PEM file of certificates to trust instead of the system's. */
    public Builder ca(Path ca) {
      return ca(Optional.of(ca));
    }

    private Builder ca(Optional<Path> ca) {
      this.ca = ca;
      return this;
    }

    /** Sets the listener that is notified of failures and outages. */
    public Builder outageListener(OutageListener outageListener) {
      this.outageListener = outageListener;
      return this;
    }

    /** Sets the listener that is notified of each round trip. */
    public Builder roundTripListener(RoundTripListener roundTripListener) {
      this.roundTripListener = roundTripListener;
      return this;
    }

    /** Sets the options of the consistency modes leased, eventual and auto. */
    public Builder consistency(ConsistencyOptions consistency) {
      this.consistency = consistency;
      return this;
    }

    /** Creates the options. */
    public RedisOptions build() {
      return new RedisOptions(this);
    }
  }

  private static boolean isPlain(char c) {
    return Character.isLetterOrDigit(c) ? c < 128 : "._-/:@".indexOf(c) >= 0;
  }

  private static void require(boolean ok, String message, Object... values) {
    if (!ok) throw new IllegalArgumentException(message.formatted(values));
  }
}
