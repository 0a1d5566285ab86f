package io.headgate.client.outbound;

import io.headgate.Decision;
import java.io.IOException;
import java.net.Authenticator;
import java.net.CookieHandler;
import java.net.ProxySelector;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandler;
import java.net.http.HttpResponse.PushPromiseHandler;
import java.net.http.WebSocket;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;

/**
 * An HTTP client that stays below the limits of the services it calls. It evaluates the {@code
 * RateLimit}, {@code RateLimit-Policy} and {@code Retry-After} fields of their responses, and sends
 * a request only while there is quota left. Otherwise it waits, or fails with {@link
 * QuotaExhaustedException} if the wait would exceed a maximum.
 *
 * {@snippet file="io/headgate/client/ClientExamplesTest.java" region="outbound"}
 *
 * <p>Quotas are kept for each scheme, host and port. A {@link SharedBudget} makes several instances
 * share one limit. A response with status 429 is returned to the caller; the following requests
 * wait. No request is repeated.
 *
 * <p>Safe for use by several threads. Closing it closes the client that it decorates.
 */
public final class LimitedHttpClient extends HttpClient {
  static final int MAX_SERVICES = 1_000;

  private final HttpClient client;
  private final Duration maxWait;
  private final @Nullable SharedBudget budget;
  private final Map<String, ServiceQuota> quotas =
      new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, ServiceQuota> eldest) {
          return size() > MAX_SERVICES;
        }
      };

  private LimitedHttpClient(HttpClient client, Duration maxWait, @Nullable SharedBudget budget) {
    this.client = client;
    this.maxWait = maxWait;
    this.budget = budget;
  }

  /**
   * Decorates a client.
   *
   * @param maxWait how long a request may wait for quota; zero to fail at once
   * @throws IllegalArgumentException if it is negative
   */
  public static LimitedHttpClient of(HttpClient client, Duration maxWait) {
    if (maxWait.isNegative()) {
      throw new IllegalArgumentException(
          "the maximum wait must not be negative, got %s; use zero to fail at once"
              .formatted(maxWait));
    }
    return new LimitedHttpClient(client, maxWait, null);
  }

  /** Returns a client whose requests must pass a shared budget as well. */
  public LimitedHttpClient sharing(SharedBudget budget) {
    return new LimitedHttpClient(client, maxWait, budget);
  }

  /**
   * Waits for quota and sends a request.
   *
   * @throws QuotaExhaustedException if the wait would exceed the maximum; nothing was sent
   */
  @Override
  public <T> HttpResponse<T> send(HttpRequest request, BodyHandler<T> handler)
      throws IOException, InterruptedException {
    var response = sendAsync(request, handler);
    try {
      return response.get();
    } catch (InterruptedException e) {
      response.cancel(true);
      throw e;
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException failure) throw failure;
      if (e.getCause() instanceof RuntimeException failure) throw failure;
      throw new IOException(e.getCause());
    }
  }

  /** Sends as {@link #send} does, without blocking the calling thread. */
  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler) {
    return limited(request, () -> client.sendAsync(request, handler));
  }

  /** Sends as {@link #send} does, without blocking the calling thread. */
  @Override
  public <T> CompletableFuture<HttpResponse<T>> sendAsync(
      HttpRequest request, BodyHandler<T> handler, PushPromiseHandler<T> pushes) {
    return limited(request, () -> client.sendAsync(request, handler, pushes));
  }

  private <T> CompletableFuture<HttpResponse<T>> limited(
      HttpRequest request, Supplier<CompletableFuture<HttpResponse<T>>> send) {
    var result = new CompletableFuture<HttpResponse<T>>();
    new Attempt<>(request, send, result, System.nanoTime() + maxWait.toNanos()).start();
    return result;
  }

  private ServiceQuota quota(HttpRequest request) {
    synchronized (quotas) {
      return quotas.computeIfAbsent(service(request), name -> new ServiceQuota());
    }
  }

  private static String service(HttpRequest request) {
    return request.uri().getScheme() + "://" + request.uri().getRawAuthority();
  }

  /** One request that waits for quota and is then sent. */
  private final class Attempt<T> {
    private final HttpRequest request;
    private final Supplier<CompletableFuture<HttpResponse<T>>> send;
    private final CompletableFuture<HttpResponse<T>> result;
    private final long giveUpAt;
    private final ServiceQuota quota;

    Attempt(
        HttpRequest request,
        Supplier<CompletableFuture<HttpResponse<T>>> send,
        CompletableFuture<HttpResponse<T>> result,
        long giveUpAt) {
      this.request = request;
      this.send = send;
      this.result = result;
      this.giveUpAt = giveUpAt;
      this.quota = quota(request);
    }

    void start() {
      if (result.isDone()) return; // cancelled while it waited
      long wait = quota.take(System.nanoTime());
      if (wait > 0) {
        after(wait, this::start);
        return;
      }
      if (budget == null) {
        send();
        return;
      }
      checked(budget)
          .whenComplete((decision, failure) -> {
            if (failure == null) decided(decision);
            else notSent(failure);
          });
    }

    private CompletionStage<Decision> checked(SharedBudget budget) {
      try {
        return budget.check(request);
      } catch (RuntimeException e) {
        return CompletableFuture.failedFuture(e);
      }
    }

    private void decided(Decision decision) {
      switch (decision) {
        case Decision.Allowed allowed -> send();
        case Decision.Delayed delayed -> {
          if (!after(delayed.delay().toNanos(), this::send)) quota.putBack();
        }
        case Decision.Denied denied -> {
          quota.putBack();
          after(denied.retryAfter().toNanos(), this::start);
        }
        case Decision.Impossible impossible ->
            notSent(
                new QuotaExhaustedException(service(request), Decision.Denied.ENDLESS, maxWait));
      }
    }

    private void notSent(Throwable failure) {
      quota.putBack();
      result.completeExceptionally(failure);
    }

    /** Continues after a time, or fails and returns false if that is longer than permitted. */
    private boolean after(long nanos, Runnable next) {
      if (System.nanoTime() + nanos - giveUpAt > 0) {
        result.completeExceptionally(
            new QuotaExhaustedException(service(request), Duration.ofNanos(nanos), maxWait));
        return false;
      }
      CompletableFuture.delayedExecutor(nanos, TimeUnit.NANOSECONDS).execute(next);
      return true;
    }

    private void send() {
      if (result.isDone()) {
        quota.putBack();
        return;
      }
      CompletableFuture<HttpResponse<T>> sent;
      try {
        sent = send.get();
      } catch (RuntimeException e) { // the request is not valid
        notSent(e);
        return;
      }
      var unused =
          sent.whenComplete((response, failure) -> {
            if (failure == null) {
              quota.answered(response.statusCode(), response.headers(), System.nanoTime());
              result.complete(response);
            } else {
              quota.failed();
              result.completeExceptionally(failure);
            }
          });
      var unusedToo =
          result.whenComplete((response, failure) -> {
            if (result.isCancelled()) sent.cancel(true);
          });
    }
  }

  @Override
  public Optional<CookieHandler> cookieHandler() {
    return client.cookieHandler();
  }

  @Override
  public Optional<Duration> connectTimeout() {
    return client.connectTimeout();
  }

  @Override
  public Redirect followRedirects() {
    return client.followRedirects();
  }

  @Override
  public Optional<ProxySelector> proxy() {
    return client.proxy();
  }

  @Override
  public SSLContext sslContext() {
    return client.sslContext();
  }

  @Override
  public SSLParameters sslParameters() {
    return client.sslParameters();
  }

  @Override
  public Optional<Authenticator> authenticator() {
    return client.authenticator();
  }

  @Override
  public Version version() {
    return client.version();
  }

  @Override
  public Optional<Executor> executor() {
    return client.executor();
  }

  @Override
  public WebSocket.Builder newWebSocketBuilder() {
    return client.newWebSocketBuilder();
  }

  @Override
  public void shutdown() {
    client.shutdown();
  }

  @Override
  public boolean awaitTermination(Duration duration) throws InterruptedException {
    return client.awaitTermination(duration);
  }

  @Override
  public boolean isTerminated() {
    return client.isTerminated();
  }

  @Override
  public void shutdownNow() {
    client.shutdownNow();
  }

  @Override
  public void close() {
    client.close();
  }
}
