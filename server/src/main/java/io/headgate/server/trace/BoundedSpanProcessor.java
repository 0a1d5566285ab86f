package io.headgate.server.trace;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;

/**
 * Forwards sampled spans to a batching queue while it has room. The queue itself would drop
 * overflowing spans silently; here the exporter counts and logs them.
 */
final class BoundedSpanProcessor implements SpanProcessor {
  private final SpanProcessor queue;
  private final OtlpExporter collector;

  BoundedSpanProcessor(SpanProcessor queue, OtlpExporter collector) {
    this.queue = queue;
    this.collector = collector;
  }

  @Override
  public void onStart(Context parent, ReadWriteSpan span) {}

  @Override
  public boolean isStartRequired() {
    return false;
  }

  @Override
  public void onEnd(ReadableSpan span) {
    if (span.getSpanContext().isSampled() && collector.reserve()) queue.onEnd(span);
  }

  @Override
  public boolean isEndRequired() {
    return true;
  }

  @Override
  public CompletableResultCode shutdown() {
    return queue.shutdown();
  }

  @Override
  public CompletableResultCode forceFlush() {
    return queue.forceFlush();
  }
}
