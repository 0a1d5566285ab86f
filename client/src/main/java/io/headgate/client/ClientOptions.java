package io.headgate.client;

import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a {@link HeadgateClient}. Immutable. {@link #toString} omits the token.
 *
 * {@snippet file="io/headgate/client/ClientExamplesTest.java" region="options"}
 */
public final class ClientOptions {
  /** The default {@link Builder#deadline}. */
  public static final Duration DEFAULT_DEADLINE = Duration.ofMillis(250);

  /** The default {@link Builder#maxDenialAge}. */
  public static final Duration DEFAULT_DENIAL_AGE = Duration.ofSeconds(1);

  private static final Duration MAX_DEADLINE = Duration.ofMinutes(10);

  private final URI url;
  private final Optional<String> token;
  private final Duration deadline;
  private final FailureMode failureMode;
  private final Duration maxDenialAge;
  private final int maxInFlight;
  private final int maxBatch;
  private final int localLeases;
  private final Optional<SSLContext> tls;

  private ClientOptions(Builder builder) {
    this.url = builder.url;
    this.token = Optional.ofNullable(builder.token);
    this.deadline = builder.deadline;
    this.failureMode = builder.failureMode;
    this.maxDenialAge = builder.maxDenialAge;
    this.maxInFlight = builder.maxInFlight;
    this.maxBatch = builder.maxBatch;
    this.localLeases = builder.localLeases;
    this.tls = Optional.ofNullable(builder.tls);
  }

  /**
   * Starts options with the defaults.
   *
   * @param url the address of the service, such as {@code https://headgate.internal:8080}
   * @throws IllegalArgumentException if it is not an http or https URL, or contains a user or a
   *     query
   */
  public static Builder builder(String url) {
    return new Builder(address(url));
  }

  URI url() {
    return url;
  }

  Optional<String> token() {
    return token;
  }

  Duration deadline() {
    return deadline;
  }

  FailureMode failureMode() {
    return failureMode;
  }

  Duration maxDenialAge() {
    return maxDenialAge;
  }

  int maxInFlight() {
    return maxInFlight;
  }

  int maxBatch() {
    return maxBatch;
  }

  int localLeases() {
    return localLeases;
  }

  Optional<SSLContext> tls() {
    return tls;
  }

  static Duration requireDeadline(Duration deadline) {
    require(
        deadline.compareTo(Duration.ofMillis(1)) >= 0 && deadline.compareTo(MAX_DEADLINE) <= 0,
        "a deadline must be from 1 ms to 10 minutes, got " + deadline);
    return deadline;
  }

  private static URI address(String url) {
    try {
      var uri = URI.create(url.replaceFirst("/+$", ""));
      boolean http = "http".equals(uri.getScheme()) || "https".equals(uri.getScheme());
      if (http && uri.getHost() != null && uri.getUserInfo() == null && uri.getQuery() == null) {
        return uri;
      }
    } catch (IllegalArgumentException e) {
      // Reported below, without the text: it may contain a password.
    }
    throw new IllegalArgumentException(
        "the URL of a service must be like https://headgate.internal:8080, without user, password"
            + " and query; use token(…) for the token");
  }

  private static void require(boolean ok, String message) {
    if (!ok) throw new IllegalArgumentException(message);
  }

  @Override
  public String toString() {
    return "ClientOptions[url=%s, token=%s, deadline=%s, failureMode=%s]"
        .formatted(url, token.isPresent() ? "(set)" : "none", deadline, failureMode);
  }

  /** Collects options. Not thread-safe. */
  public static final class Builder {
    private final URI url;
    private @Nullable String token;
    private Duration deadline = DEFAULT_DEADLINE;
    private FailureMode failureMode = FailureMode.ALLOW;
    private Duration maxDenialAge = DEFAULT_DENIAL_AGE;
    private int maxInFlight = 4;
    private int maxBatch = 128;
    private int localLeases;
    private @Nullable SSLContext tls;

    private Builder(URI url) {
      this.url = url;
    }

    /** Sets the check token of the service, which is sent with every request. Default: none. */
    public Builder token(String token) {
      // The HTTP client's exception for an invalid header would contain the token.
      require(
          !token.isEmpty() && token.chars().allMatch(c -> c > ' ' && c < 0x7f),
          "a token consists of visible ASCII characters, and this one is empty or has others");
      this.token = token;
      return this;
    }

    /**
     * Sets how long a call may take before the failure mode decides. Default: {@link
     * #DEFAULT_DEADLINE}. {@link HeadgateClient#within} sets it for single calls.
     */
    public Builder deadline(Duration deadline) {
      this.deadline = requireDeadline(deadline);
      return this;
    }

    /**
     * Sets how to decide while the service is unavailable. Default: {@link FailureMode#ALLOW}.
     * {@link HeadgateClient#onFailure} sets it for single calls.
     */
    public Builder failureMode(FailureMode failureMode) {
      this.failureMode = failureMode;
      return this;
    }

    /**
     * Sets for how long a denial is repeated without asking the service, at most until its retry
     * time. A reset or a raised limit is effective after at most this time. Default: {@link
     * #DEFAULT_DENIAL_AGE}; zero disables the cache.
     */
    public Builder maxDenialAge(Duration maxDenialAge) {
      require(
          !maxDenialAge.isNegative() && maxDenialAge.compareTo(MAX_DEADLINE) <= 0,
          "the age of cached denials must be from 0 to 10 minutes, got " + maxDenialAge);
      this.maxDenialAge = maxDenialAge;
      return this;
    }

    /**
     * Sets how many requests may be on their way at once. Checks beyond it wait and are sent
     * together. Default: 4.
     */
    public Builder maxInFlight(int maxInFlight) {
      require(
          maxInFlight >= 1 && maxInFlight <= 256,
          "requests in flight must be from 1 to 256, got " + maxInFlight);
      this.maxInFlight = maxInFlight;
      return this;
    }

    /** Sets how many checks one request may contain; 1 disables batching. Default: 128. */
    public Builder maxBatch(int maxBatch) {
      require(
          maxBatch >= 1 && maxBatch <= 1_000,
          "a batch must have 1 to 1000 checks, got " + maxBatch);
      this.maxBatch = maxBatch;
      return this;
    }

    /**
     * Sets for how many requests at once the client may hold permits of the service, so that it
     * decides repeated checks by itself. A request is a subject with its costs. Rules grant such
     * leases if their {@code consistency} is {@code leased} or {@code auto}; others are asked each
     * time. Never exceeds a limit. Default: 0, which disables leases.
     *
     * <p>A reset, a changed rule and statistics of the service see leased checks up to 10 s late.
     */
    public Builder localLeases(int max) {
      require(max >= 0 && max <= 100_000, "local leases must be from 0 to 100000, got " + max);
      this.localLeases = max;
      return this;
    }

    /** Sets the certificates to trust and to present. Default: the JVM's. */
    public Builder tls(SSLContext tls) {
      this.tls = tls;
      return this;
    }

    /** Returns the options. */
    public ClientOptions build() {
      return new ClientOptions(this);
    }
  }
}
