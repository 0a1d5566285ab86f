package io.headgate.server.trace;

import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.ReadWriteSpan;
import io.opentelemetry.sdk.trace.ReadableSpan;
import io.opentelemetry.sdk.trace.SpanProcessor;

/**
 * Lets spans into the queue as long as there is room: the queue itself drops in silence what does
 * not fit.
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
    if (span.getSpanContext().isSampled() && collector.hasRoom()) queue.onEnd(span);
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
