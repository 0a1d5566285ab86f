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

/**
 * Exports spans to a collector by OTLP over HTTP. Failures and dropped spans are logged at most
 * once a minute. Thread-safe.
 */
final class OtlpExporter implements SpanExporter {
  static final Duration EXPORT_TIMEOUT = Duration.ofSeconds(5);
  static final int MAX_QUEUED = 4_096;

  private static final Logger LOG = LoggerFactory.getLogger(OtlpExporter.class);
  private static final long LOG_INTERVAL_NANOS = Duration.ofMinutes(1).toNanos();

  /**
   * The logger of OpenTelemetry, turned off since it repeats these messages. The strong reference
   * keeps it from being garbage-collected with its level.
   */
  private static final java.util.logging.Logger OPENTELEMETRY_LOGGER =
      java.util.logging.Logger.getLogger("io.opentelemetry");

  private final SpanExporter exporter;
  private final String shown;
  private final AtomicInteger queued = new AtomicInteger();
  private final AtomicLong lost = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();
  private volatile boolean failing;
  private volatile long nextFailureLog = System.nanoTime();
  private volatile long nextDroppedLog = System.nanoTime();

  OtlpExporter(TraceSettings settings) {
    OPENTELEMETRY_LOGGER.setLevel(Level.OFF);
    this.shown = settings.shown();
    this.exporter =
        OtlpHttpSpanExporter.builder()
            .setEndpoint(settings.endpoint().toString())
            .setTimeout(EXPORT_TIMEOUT)
            .setConnectTimeout(EXPORT_TIMEOUT)
            .setMeterProvider(MeterProvider::noop)
            .build();
  }

  /** Reserves room for one span; if there is none, counts the span as dropped. */
  boolean reserve() {
    if (queued.incrementAndGet() <= MAX_QUEUED) return true;
    queued.decrementAndGet();
    dropped.incrementAndGet();
    return false;
  }

  @Override
  public CompletableResultCode export(Collection<SpanData> spans) {
    int size = spans.size();
    queued.addAndGet(-size);
    var sent = exporter.export(spans);
    return sent.whenComplete(() -> {
      if (sent.isSuccess()) succeeded();
      else failed(size, sent.getFailureThrowable());
      logDropped();
    });
  }

  private void succeeded() {
    if (!failing) return;
    failing = false;
    LOG.info("exporting traces to {} again", shown);
  }

  private void failed(int spans, @Nullable Throwable why) {
    lost.addAndGet(spans);
    long now = System.nanoTime();
    if (now - nextFailureLog < 0) return;
    failing = true;
    nextFailureLog = now + LOG_INTERVAL_NANOS;
    LOG.warn(
        "cannot export traces to {}: {}; {} spans were lost, checks are not affected (logged at most"
            + " once a minute)",
        shown,
        why == null ? "rejected" : why.toString(),
        lost.getAndSet(0));
  }

  private void logDropped() {
    long now = System.nanoTime();
    if (dropped.get() == 0 || now - nextDroppedLog < 0) return;
    nextDroppedLog = now + LOG_INTERVAL_NANOS;
    LOG.warn(
        "traces are recorded faster than {} accepts them; {} spans were dropped, reduce --trace-ratio"
            + " (logged at most once a minute)",
        shown,
        dropped.getAndSet(0));
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
