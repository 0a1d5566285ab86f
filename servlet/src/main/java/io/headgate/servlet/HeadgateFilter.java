package io.headgate.servlet;

import io.headgate.CheckResult;
import io.headgate.RateLimiter;
import io.headgate.http.AmbiguousPathException;
import io.headgate.http.CheckListener;
import io.headgate.http.HeldSlots;
import io.headgate.http.RateLimitFields;
import io.headgate.http.RequestChecker;
import io.headgate.http.RoundedTimes;
import io.headgate.load.CallOutcome;
import io.headgate.rule.Request;
import io.headgate.store.StoreException;
import io.headgate.store.Ticker;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Checks each HTTP request before the rest of the filter chain. An allowed request gets the
 * rate-limit headers and passes. A denied one is answered with the status of its rule, {@code
 * Retry-After} and a problem document.
 *
 * {@snippet file="io/headgate/servlet/ServletExamplesTest.java" region="filter"}
 *
 * <p>A request keeps its concurrency slots until it ends, asynchronous requests included. A request
 * that a leaky bucket queues waits on its thread, at most for the {@linkplain Builder#maxDelay
 * longest delay}. A request is checked once: forwards, includes, error pages and asynchronous
 * dispatches pass. A request with an {@linkplain AmbiguousPathException ambiguous} path is answered
 * with 400.
 *
 * <p>Register it with support for asynchronous requests. The limiter is not closed with the filter.
 * Thread-safe.
 */
public final class HeadgateFilter implements Filter {
  /** The longest delay if none is set. */
  public static final Duration DEFAULT_MAX_DELAY = Duration.ofSeconds(5);

  private final RequestChecker checker;
  private final SubjectResolver resolver;
  private final DenialHandler denials;
  private final @Nullable RateLimitFields fields;
  private final RateLimitFields denialFields;

  private HeadgateFilter(Builder builder) {
    this.checker = builder.checker.apply(builder);
    this.resolver = builder.resolver;
    this.denials = builder.denials;
    this.denialFields = new RateLimitFields(Ticker.system());
    this.fields = builder.headersOnAllowed ? denialFields : null;
  }

  /** Creates a filter with {@link DefaultSubjectResolver#create}. */
  public static HeadgateFilter of(RateLimiter limiter) {
    return builder(limiter).build();
  }

  /** Starts a filter with {@link DefaultSubjectResolver#create}. */
  public static Builder builder(RateLimiter limiter) {
    return new Builder(
        settings -> RequestChecker.of(limiter, settings.maxDelay, settings.listener));
  }

  /**
   * Starts a filter that decides by a checker, which has its own listener and longest delay.
   *
   * @param checker decides requests
   */
  public static Builder builder(RequestChecker checker) {
    return new Builder(settings -> checker);
  }

  @Override
  public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    if (request instanceof HttpServletRequest http
        && response instanceof HttpServletResponse reply
        && http.getDispatcherType() == DispatcherType.REQUEST) {
      Request wanted;
      try {
        wanted = resolver.resolve(http);
      } catch (AmbiguousPathException e) {
        ProblemResponse.write(reply, e);
        return;
      }
      if (wanted != null) {
        check(wanted, http, reply, chain);
        return;
      }
    }
    chain.doFilter(request, response);
  }

  private void check(
      Request wanted, HttpServletRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    CheckResult result;
    try {
      result = checker.check(wanted);
    } catch (StoreException e) {
      ProblemResponse.writeUnavailable(response);
      return;
    }
    if (!result.isAllowed()) {
      write(denialFields, result, 0, response);
      denials.handle(request, response, result);
      return;
    }
    var slots = checker.slots(result);
    long waited = sleep(result.delay(), slots);
    if (fields != null) write(fields, result, waited, response);
    if (slots == null) chain.doFilter(request, response);
    else pass(new SlotRequest(request, response, slots), response, chain);
  }

  private static void pass(SlotRequest request, HttpServletResponse response, FilterChain chain)
      throws IOException, ServletException {
    try {
      chain.doFilter(request, response);
    } catch (Throwable e) {
      request.failed(e);
      throw e;
    }
    request.returned();
  }

  private static void write(
      RateLimitFields fields, CheckResult result, long waited, HttpServletResponse response) {
    fields.write(
        result, waited, (field, value) -> response.setHeader(field.field(), value.toString()));
  }

  /** Waits for the delay of a request; returns it in microseconds. */
  private static long sleep(Duration delay, @Nullable HeldSlots slots) throws IOException {
    if (delay.isZero()) return 0;
    try {
      Thread.sleep(delay);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      if (slots != null) slots.release(CallOutcome.DROPPED);
      throw new InterruptedIOException("interrupted while the request waited for its turn");
    }
    return RoundedTimes.micros(delay);
  }

  /** Builds a filter. Not thread-safe. */
  public static final class Builder {
    private final Function<Builder, RequestChecker> checker;
    private SubjectResolver resolver = DefaultSubjectResolver.create();
    private DenialHandler denials = DenialHandler.problem();
    private CheckListener listener = CheckListener.NONE;
    private Duration maxDelay = DEFAULT_MAX_DELAY;
    private boolean headersOnAllowed = true;

    private Builder(Function<Builder, RequestChecker> checker) {
      this.checker = checker;
    }

    /** Sets the mapping of HTTP requests to subjects. */
    public Builder subject(SubjectResolver resolver) {
      this.resolver = resolver;
      return this;
    }

    /** Sets the response to denied requests. */
    public Builder onDenied(DenialHandler denials) {
      this.denials = denials;
      return this;
    }

    /** Sets the listener that is notified of each decision. */
    public Builder listener(CheckListener listener) {
      this.listener = listener;
      return this;
    }

    /**
     * Sets how long a request may wait in the queue of a leaky bucket. A longer delay is a denial.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public Builder maxDelay(Duration maxDelay) {
      if (maxDelay.isNegative()) {
        throw new IllegalArgumentException("the longest delay must be at least 0, got " + maxDelay);
      }
      this.maxDelay = maxDelay;
      return this;
    }

    /**
     * Sets whether allowed requests get rate-limit headers, too. Without them the filter allocates
     * nothing but what the check needs.
     */
    public Builder headersOnAllowed(boolean headersOnAllowed) {
      this.headersOnAllowed = headersOnAllowed;
      return this;
    }

    /** Creates the filter. */
    public HeadgateFilter build() {
      return new HeadgateFilter(this);
    }
  }
}
