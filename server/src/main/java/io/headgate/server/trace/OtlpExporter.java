package io.headgate.server.trace;

import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Level;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Where spans are sent. When that fails it is said now and then, in the service's own log. */
final class OtlpExporter implements SpanExporter {
  static final Duration LONGEST = Duration.ofSeconds(5);
  static final int MOST_WAITING = 4_096;

  private static final Logger LOG = LoggerFactory.getLogger(OtlpExporter.class);
  private static final long SAID_EVERY = Duration.ofMinutes(1).toNanos();

  /** Says the same in a log of its own; held here, since who is not held is forgotten. */
  private static final java.util.logging.Logger THEIRS =
      java.util.logging.Logger.getLogger("io.opentelemetry");

  private final SpanExporter exporter;
  private final String shown;
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicLong lost = new AtomicLong();
  private final AtomicLong turnedAway = new AtomicLong();
  private volatile boolean failing;
  private volatile long nextSaid = System.nanoTime();
  private volatile long nextTurnedAwaySaid = System.nanoTime();

  OtlpExporter(TraceSettings settings) {
    THEIRS.setLevel(Level.OFF);
    this.shown = settings.shown();
    this.exporter =
        OtlpHttpSpanExporter.builder()
            .setEndpoint(settings.endpoint().toString())
            .setTimeout(LONGEST)
            .setConnectTimeout(LONGEST)
            .setMeterProvider(MeterProvider::noop)
            .build();
  }

  /** Whether one more span may wait to be sent. If not it is lost, which is said later. */
  boolean hasRoom() {
    if (waiting.incrementAndGet() <= MOST_WAITING) return true;
    waiting.decrementAndGet();
    turnedAway.incrementAndGet();
    return false;
  }

  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    int size = spans.size();
    waiting.addAndGet(-size);
    var sent = exporter.export(spans);
    return sent.whenComplete(() -> {
      if (sent.isSuccess()) arrived();
      else failed(size, sent.getFailureThrowable());
      sayTurnedAway();
    });
  }

  private void arrived() {
    if (!failing) return;
    failing = false;
    LOG.info("traces arrive at {} again", shown);
  }

  private void failed(int spans, @Nullable Throwable why) {
    lost.addAndGet(spans);
    long now = System.nanoTime();
    if (now - nextSaid < 0) return;
    failing = true;
    nextSaid = now + SAID_EVERY;
    LOG.warn(
        "traces can't be sent to {} ({}); checks go on, {} spans were lost (said once a minute)",
        shown,
        why == null ? "refused" : why.toString(),
        lost.getAndSet(0));
  }

  private void sayTurnedAway() {
    long now = System.nanoTime();
    if (turnedAway.get() == 0 || now - nextTurnedAwaySaid < 0) return;
    nextTurnedAwaySaid = now + SAID_EVERY;
    LOG.warn(
        "traces come faster than {} takes them; {} spans did not fit and were lost, a smaller"
            + " --trace-ratio makes fewer (said once a minute)",
        shown,
        turnedAway.getAndSet(0));
  }

  @Override
  public CompletableResultCode flush() {
    return exporter.flush();
  }

  @Override
  public CompletableResultCode shutdown() {
    return exporter.shutdown();
  }
}
