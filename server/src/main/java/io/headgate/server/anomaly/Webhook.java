package io.headgate.server.anomaly;

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
 * Tells somebody elsewhere of anomalies, one after the other, on a thread of its own: nothing here
 * makes a check wait. Tries again a few times, then gives up; what comes while too much is waiting
 * is dropped. Both are said in the log, without the address's path and without the secret.
 */
public final class Webhook implements AutoCloseable {
  static final String ID = "Headgate-Delivery";
  static final String TIMESTAMP = "Headgate-Timestamp";
  static final String SIGNATURE = "Headgate-Signature";
  static final int MOST_WAITING = 100;

  private static final Logger LOG = LoggerFactory.getLogger(Webhook.class);
  private static final Duration LONGEST = Duration.ofSeconds(5); // of one try
  private static final int TRIES = 6;
  private static final Duration FIRST_PAUSE = Duration.ofSeconds(1);

  /** What to send, under a name that stays the same from try to try. */
  private record Message(String id, String body) {}

  private final WebhookTarget target;
  private final String instance;
  private final Function<Anomaly, String> body;
  private final Duration firstPause;
  private final BlockingQueue<Message> waiting = new ArrayBlockingQueue<>(MOST_WAITING);
  private final HttpClient client =
      HttpClient.newBuilder()
          .followRedirects(HttpClient.Redirect.NEVER)
          .connectTimeout(LONGEST)
          .version(HttpClient.Version.HTTP_1_1)
          .build();
  private final Thread sender;

  /**
   * @param instance what to call this process
   * @param body an anomaly in JSON
   */
  public Webhook(WebhookTarget target, String instance, Function<Anomaly, String> body) {
    this(target, instance, body, FIRST_PAUSE);
  }

  Webhook(
      WebhookTarget target, String instance, Function<Anomaly, String> body, Duration firstPause) {
    this.target = target;
    this.instance = instance;
    this.body = body;
    this.firstPause = firstPause;
    this.sender = Thread.ofVirtual().name("headgate-webhook").start(this::sendAll);
  }

  /** From any thread, without waiting. */
  public void tell(Anomaly anomaly) {
    String event = anomaly.isOpen() ? "opened" : "closed";
    String id = instance + "-" + anomaly.id() + "-" + event;
    String text =
        "{\"id\":\"%s\",\"event\":\"%s\",\"instance\":\"%s\",\"anomaly\":%s}"
            .formatted(id, event, instance, body.apply(anomaly));
    if (!waiting.offer(new Message(id, text))) {
      LOG.warn("webhook at {}: too much is waiting, {} is not told", target, id);
    }
  }

  private void sendAll() {
    try {
      while (true) send(waiting.take());
    } catch (InterruptedException e) {
      // closed
    }
  }

  private void send(Message message) throws InterruptedException {
    String problem = "";
    for (int attempt = 0; attempt < TRIES; attempt++) {
      if (attempt > 0) Thread.sleep(pause(attempt));
      problem = attempt(message);
      if (problem.isEmpty()) return;
      if (problem.startsWith("!")) break;
    }
    LOG.warn(
        "webhook at {}: gave up telling {} ({})",
        target,
        message.id,
        problem.startsWith("!") ? problem.substring(1) : problem);
  }

  /** Twice as long each time, and anything up to that: many instances do not come back at once. */
  private Duration pause(int attempt) {
    long most = firstPause.toMillis() << (attempt - 1);
    return Duration.ofMillis(most / 2 + ThreadLocalRandom.current().nextLong(most / 2 + 1));
  }

  /** What was wrong; nothing if it arrived. With ! in front if there is no use in trying again. */
  private String attempt(Message message) throws InterruptedException {
    var sent = client.sendAsync(request(message), BodyHandlers.discarding());
    try {
      int status = sent.get(LONGEST.toMillis(), TimeUnit.MILLISECONDS).statusCode();
      if (status >= 200 && status < 300) return "";
      boolean again = status >= 500 || status == 408 || status == 429;
      return (again ? "" : "!") + "status " + status;
    } catch (ExecutionException e) {
      return e.getCause() instanceof IOException cause
          ? cause.getClass().getSimpleName()
          : "failed";
    } catch (TimeoutException e) {
      sent.cancel(true);
      return "no answer within " + LONGEST.toSeconds() + " s";
    }
  }

  private HttpRequest request(Message message) {
    String now = Long.toString(System.currentTimeMillis() / 1_000);
    var request =
        HttpRequest.newBuilder(target.address())
            .timeout(LONGEST)
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

  /** What has not been told by now is not told. */
  @Override
  public void close() {
    sender.interrupt();
    client.shutdownNow();
  }
}
