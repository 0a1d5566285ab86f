package io.headgate.server.anomaly;

import io.headgate.server.api.JsonWriter;
import io.headgate.server.callers.CallerMask;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends anomalies to a webhook, one at a time, on a thread of its own, so that it never delays a
 * check. Retries a few times and then gives up. When the queue is full, further anomalies are
 * dropped. Both are logged without the path of the address and without the secret. Thread-safe.
 */
public final class Webhook implements AutoCloseable {
  static final String ID = "Headgate-Delivery";
  static final String TIMESTAMP = "Headgate-Timestamp";
  static final String SIGNATURE = "Headgate-Signature";
  static final int MAX_QUEUED = 100;

  private static final Logger LOG = LoggerFactory.getLogger(Webhook.class);
  private static final Duration ATTEMPT_TIMEOUT = Duration.ofSeconds(5);
  private static final int MAX_ATTEMPTS = 6;
  private static final Duration INITIAL_BACKOFF = Duration.ofSeconds(1);

  /** A message with an id that is the same for all attempts. */
  private record Message(String id, String body) {}

  private final WebhookTarget target;
  private final String instance;
  private final CallerMask mask;
  private final Function<Anomaly, String> body;
  private final Duration initialBackoff;
  private final BlockingQueue<Message> queue = new ArrayBlockingQueue<>(MAX_QUEUED);
  private final HttpClient client =
      HttpClient.newBuilder()
          .followRedirects(HttpClient.Redirect.NEVER)
          .connectTimeout(ATTEMPT_TIMEOUT)
          .version(HttpClient.Version.HTTP_1_1)
          .build();
  private final Thread sender;

  /**
   * Starts the sending thread.
   *
   * @param instance name of this process
   * @param mask how callers are shown to the receiver
   * @param body serializes an anomaly as JSON
   */
  public Webhook(
      WebhookTarget target, String instance, CallerMask mask, Function<Anomaly, String> body) {
    this(target, instance, mask, body, INITIAL_BACKOFF);
  }

  Webhook(
      WebhookTarget target,
      String instance,
      CallerMask mask,
      Function<Anomaly, String> body,
      Duration initialBackoff) {
    this.target = target;
    this.instance = instance;
    this.mask = mask;
    this.body = body;
    this.initialBackoff = initialBackoff;
    this.sender = Thread.ofVirtual().name("headgate-webhook").start(this::sendAll);
  }

  /** Queues an anomaly for delivery. Does not block. */
  public void report(Anomaly anomaly) {
    String event = anomaly.isOpen() ? "opened" : "closed";
    String id = instance + "-" + anomaly.id() + "-" + event;
    var text = new JsonWriter().begin().name("id").value(id).name("event").value(event);
    text.name("instance").value(instance).name("anomaly");
    text.json(body.apply(anomaly.masked(mask))).end();
    if (!queue.offer(new Message(id, text.toString()))) {
      LOG.warn("webhook {}: the queue is full, dropped {}", target, id);
    }
  }

  private void sendAll() {
    try {
      while (true) send(queue.take());
    } catch (InterruptedException e) {
      // Closed.
    }
  }

  private void send(Message message) throws InterruptedException {
    String problem = "";
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      if (attempt > 0) Thread.sleep(backoff(attempt));
      problem = attempt(message);
      if (problem.isEmpty()) return;
      if (problem.startsWith("!")) break;
    }
    LOG.warn(
        "webhook {}: gave up delivering {} ({})",
        target,
        message.id,
        problem.startsWith("!") ? problem.substring(1) : problem);
  }

  /**
   * Returns the backoff before an attempt: doubled each time, with jitter, so that many instances
   * do not retry at once.
   */
  private Duration backoff(int attempt) {
    long max = initialBackoff.toMillis() << (attempt - 1);
    return Duration.ofMillis(max / 2 + ThreadLocalRandom.current().nextLong(max / 2 + 1));
  }

  /**
   * Sends the message once. Returns an empty string on success, otherwise the problem, prefixed
   * with ! if a retry is pointless.
   */
  private String attempt(Message message) throws InterruptedException {
    var sent = client.sendAsync(request(message), BodyHandlers.discarding());
    try {
      int status = sent.get(ATTEMPT_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS).statusCode();
      if (status >= 200 && status < 300) return "";
      boolean retryable = status >= 500 || status == 408 || status == 429;
      return (retryable ? "" : "!") + "status " + status;
    } catch (ExecutionException e) {
      return e.getCause() instanceof IOException cause
          ? cause.getClass().getSimpleName()
          : "failed";
    } catch (TimeoutException e) {
      sent.cancel(true);
      return "no answer within " + ATTEMPT_TIMEOUT.toSeconds() + " s";
    }
  }

  private HttpRequest request(Message message) {
    String now = Long.toString(System.currentTimeMillis() / 1_000);
    var request =
        HttpRequest.newBuilder(target.address())
            .timeout(ATTEMPT_TIMEOUT)
            .header("Content-Type", "application/json")
            .header("User-Agent", "headgate")
            .header(ID, message.id)
            .header(TIMESTAMP, now)
            .POST(HttpRequest.BodyPublishers.ofString(message.body));
    target
        .secret()
        .ifPresent(
            secret -> request.header(SIGNATURE, "v1=" + sign(secret, now + "." + message.body)));
    return request.build();
  }

  static String sign(String secret, String text) {
    try {
      var mac = Mac.getInstance("HmacSHA256");
      mac.init(new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), "HmacSHA256"));
      return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has HMAC-SHA256", e);
    }
  }

  /** Stops the sender. Queued messages are discarded. */
  @Override
  public void close() {
    sender.interrupt();
    client.shutdownNow();
  }
}
