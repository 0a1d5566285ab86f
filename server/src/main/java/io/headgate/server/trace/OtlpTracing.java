package io.headgate.server.trace;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Records traces and exports them to a collector, in batches and on a thread of its own. The queue
 * is bounded; spans that do not fit are dropped. Thread-safe.
 */
final class OtlpTracing implements Tracing {
  private static final int BATCH = 512;
  private static final Duration EXPORT_INTERVAL = Duration.ofSeconds(1);

  private static final AttributeKey<String> SERVICE = AttributeKey.stringKey("service.name");
  private static final AttributeKey<String> VERSION = AttributeKey.stringKey("service.version");
  private static final AttributeKey<String> INSTANCE =
      AttributeKey.stringKey("service.instance.id");
  private static final AttributeKey<String> METHOD = AttributeKey.stringKey("http.request.method");
  private static final AttributeKey<String> ROUTE = AttributeKey.stringKey("http.route");
  private static final AttributeKey<String> RPC_SYSTEM = AttributeKey.stringKey("rpc.system.name");
  private static final AttributeKey<String> RPC_METHOD = AttributeKey.stringKey("rpc.method");

  private final SdkTracerProvider provider;
  private final Tracer tracer;

  private OtlpTracing(SdkTracerProvider provider) {
    this.provider = provider;
    this.tracer = provider.get("io.headgate");
  }

  static OtlpTracing to(TraceSettings settings, String instance) {
    var collector = new OtlpExporter(settings);
    var batches =
        BatchSpanProcessor.builder(collector)
            .setMaxQueueSize(OtlpExporter.MAX_QUEUED)
            .setMaxExportBatchSize(BATCH)
            .setScheduleDelay(EXPORT_INTERVAL)
            .setExporterTimeout(OtlpExporter.EXPORT_TIMEOUT)
            .build();
    return new OtlpTracing(
        SdkTracerProvider.builder()
            .setResource(Resource.getDefault().merge(Resource.create(self(instance))))
            .setSampler(Sampler.parentBased(Sampler.traceIdRatioBased(settings.ratio())))
            .addSpanProcessor(new BoundedSpanProcessor(batches, collector))
            .build());
  }

  private static Attributes self(String instance) {
    String version = OtlpTracing.class.getPackage().getImplementationVersion();
    return Attributes.of(
        SERVICE, "headgate", VERSION, version == null ? "unpackaged" : version, INSTANCE, instance);
  }

  @Override
  public boolean isOn() {
    return true;
  }

  @Override
  public Trace request(String method, String route, TraceParent parent) {
    return begin(
        tracer
            .spanBuilder(method + " " + route)
            .setAttribute(METHOD, method)
            .setAttribute(ROUTE, route),
        parent);
  }

  @Override
  public Trace call(String method, TraceParent parent) {
    return begin(
        tracer
            .spanBuilder(method)
            .setAttribute(RPC_SYSTEM, "grpc")
            .setAttribute(RPC_METHOD, method),
        parent);
  }

  private Trace begin(SpanBuilder builder, TraceParent parent) {
    var span =
        builder.setSpanKind(SpanKind.SERVER).setParent(Headers.contextOf(parent)).startSpan();
    return span.isRecording() ? new RecordedTrace(tracer, span) : Trace.NONE;
  }

  @Override
  public void close(Duration timeout) {
    // An unavailable collector must not use up a long shutdown grace.
    long millis = Math.min(timeout.toMillis(), OtlpExporter.EXPORT_TIMEOUT.toMillis());
    var unused = provider.shutdown().join(Math.max(1, millis), TimeUnit.MILLISECONDS);
  }

  /** Adapts a {@link TraceParent} to OpenTelemetry's propagator. */
  private enum Headers implements TextMapGetter<TraceParent> {
    READER;

    static Context contextOf(TraceParent parent) {
      // The root and not the current context, which belongs to no request on an event loop.
      return W3CTraceContextPropagator.getInstance().extract(Context.root(), parent, READER);
    }

    @Override
    public @Nullable String get(@Nullable TraceParent parent, String name) {
      if (parent == null) return null;
      return switch (name) {
        case TraceParent.TRACEPARENT -> parent.traceparent();
        case TraceParent.TRACESTATE -> parent.tracestate();
        default -> null;
      };
    }
  }
}
