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

/** A request that is written down: one span, and one within it for a store that is elsewhere. */
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
  private static final AttributeKey<Long> QUESTIONS =
      AttributeKey.longKey("db.operation.batch.size");

  /** The only store that is elsewhere. */
  private static final String REDIS = "redis";

  /** Those of which a server is to blame. */
  private static final Set<String> FAILURES =
      Set.of(
          "UNKNOWN", "DEADLINE_EXCEEDED", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS");

  private final Tracer tracer;
  private final Span span;
  private @Nullable Span asking;

  RecordedTrace(Tracer tracer, Span span) {
    this.tracer = tracer;
    this.span = span;
  }

  @Override
  public void asks(int questions) {
    var builder =
        tracer
            .spanBuilder(REDIS)
            .setSpanKind(SpanKind.CLIENT)
            .setParent(Context.root().with(span))
            .setAttribute(SYSTEM, REDIS);
    if (questions > 1) builder.setAttribute(QUESTIONS, (long) questions);
    asking = builder.startSpan();
  }

  @Override
  public void decided(CheckResult result, boolean waited) {
    heard(waited || result.source() == Source.STORE, result.source() == Source.FALLBACK);
    result.rule().ifPresent(rule -> span.setAttribute(RULE, rule.id()));
    span.setAttribute(OUTCOME, outcome(result));
    span.setAttribute(SOURCE, result.source().name().toLowerCase(Locale.ROOT));
  }

  @Override
  public void decided(List<CheckResult> results, boolean waited) {
    boolean asked = waited;
    boolean failed = false;
    long denied = 0;
    for (var result : results) {
      asked |= result.source() == Source.STORE;
      failed |= result.source() == Source.FALLBACK;
      if (!result.isAllowed()) denied++;
    }
    heard(asked, failed);
    span.setAttribute(CHECKS, (long) results.size());
    span.setAttribute(DENIED, denied);
  }

  /** A span that is never ended is never sent: what was known here took no call. */
  private void heard(boolean asked, boolean failed) {
    var call = asking;
    asking = null;
    if (call == null || !asked) return;
    if (failed) call.setStatus(StatusCode.ERROR, "it did not answer, so policies decided");
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
  public void answered(int status) {
    span.setAttribute(STATUS, (long) status);
    if (status >= 500) fail(Integer.toString(status));
    span.end();
  }

  @Override
  public void returned(String status) {
    span.setAttribute(RPC_STATUS, status);
    if (FAILURES.contains(status)) fail(status);
    span.end();
  }

  private void fail(String type) {
    span.setAttribute(ERROR, type).setStatus(StatusCode.ERROR);
  }

  @Override
  public void gone() {
    span.setAttribute(ERROR, "client_gone");
    span.end();
  }
}
