package io.headgate.server.trace;

import io.headgate.CheckResult;
import io.headgate.Decision;
import io.headgate.store.Source;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A recorded request: a server span, with a client span for the call to a remote store. */
final class RecordedTrace implements Trace {
  private static final AttributeKey<String> RULE = AttributeKey.stringKey("headgate.rule");
  private static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("headgate.outcome");
  private static final AttributeKey<String> SOURCE = AttributeKey.stringKey("headgate.source");
  private static final AttributeKey<Long> CHECKS = AttributeKey.longKey("headgate.checks");
  private static final AttributeKey<Long> DENIED = AttributeKey.longKey("headgate.denied");
  private static final AttributeKey<Long> STATUS =
      AttributeKey.longKey("http.response.status_code");
  private static final AttributeKey<String> RPC_STATUS =
      AttributeKey.stringKey("rpc.response.status_code");
  private static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");
  private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("db.system.name");
  private static final AttributeKey<Long> BATCH_SIZE =
      AttributeKey.longKey("db.operation.batch.size");

  /** The only remote store. */
  private static final String REDIS = "redis";

  /** The gRPC status codes that OpenTelemetry counts as errors of a server. */
  private static final Set<String> FAILURES =
      Set.of(
          "UNKNOWN", "DEADLINE_EXCEEDED", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS");

  private final Tracer tracer;
  private final Span span;
  private @Nullable Span storeSpan;

  RecordedTrace(Tracer tracer, Span span) {
    this.tracer = tracer;
    this.span = span;
  }

  @Override
  public void storeCallStarted(int plans) {
    var builder =
        tracer
            .spanBuilder(REDIS)
            .setSpanKind(SpanKind.CLIENT)
            .setParent(Context.root().with(span))
            .setAttribute(SYSTEM, REDIS);
    if (plans > 1) builder.setAttribute(BATCH_SIZE, (long) plans);
    storeSpan = builder.startSpan();
  }

  @Override
  public void decided(CheckResult result, boolean waited) {
    endStoreSpan(waited || result.source() == Source.STORE, result.source() == Source.FALLBACK);
    result.rule().ifPresent(rule -> span.setAttribute(RULE, rule.id()));
    span.setAttribute(OUTCOME, outcome(result));
    span.setAttribute(SOURCE, result.source().name().toLowerCase(Locale.ROOT));
  }

  @Override
  public void decided(List<CheckResult> results, boolean waited) {
    boolean storeCalled = waited;
    boolean failed = false;
    long denied = 0;
    for (var result : results) {
      storeCalled |= result.source() == Source.STORE;
      failed |= result.source() == Source.FALLBACK;
      if (!result.isAllowed()) denied++;
    }
    endStoreSpan(storeCalled, failed);
    span.setAttribute(CHECKS, (long) results.size());
    span.setAttribute(DENIED, denied);
  }

  /** Ends the store span; drops it if the decision was made locally, without a store call. */
  private void endStoreSpan(boolean storeCalled, boolean failed) {
    var call = storeSpan;
    storeSpan = null;
    if (call == null || !storeCalled) return;
    if (failed)
      call.setStatus(StatusCode.ERROR, "the store did not answer; failure policies decided");
    call.end();
  }

  private static String outcome(CheckResult result) {
    return switch (result.decision()) {
      case Decision.Allowed allowed -> "allowed";
      case Decision.Delayed delayed -> "delayed";
      case Decision.Denied denied -> "denied";
      case Decision.Impossible impossible -> "impossible";
    };
  }

  @Override
  public void httpResponded(int status) {
    span.setAttribute(STATUS, (long) status);
    if (status >= 500) fail(Integer.toString(status));
    span.end();
  }

  @Override
  public void grpcResponded(String status) {
    span.setAttribute(RPC_STATUS, status);
    if (FAILURES.contains(status)) fail(status);
    span.end();
  }

  private void fail(String type) {
    span.setAttribute(ERROR, type).setStatus(StatusCode.ERROR);
  }

  @Override
  public void clientDisconnected() {
    span.setAttribute(ERROR, "client_gone");
    span.end();
  }
}
