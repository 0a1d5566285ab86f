package io.headgate.server.grpc;

import io.headgate.server.api.AccessControl;
import io.headgate.server.api.Readiness;
import io.headgate.server.grpc.proto.RateLimitQuotaResponse;
import io.headgate.server.grpc.proto.RateLimitQuotaUsageReports;
import io.headgate.server.quota.QuotaAction;
import io.headgate.server.quota.QuotaStrategy;
import io.headgate.server.quota.QuotaStream;
import io.headgate.server.quota.QuotaUsage;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.server.GrpcServerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/** Envoy's StreamRateLimitQuotas method on one event loop. Not thread-safe. */
final class QuotaService {
  /** The reports of one stream that are read between two polls; the rest waits. */
  static final int MAX_WORK_PER_POLL = 20_000;

  private final EnvoyQuotas quotas;
  private final QuotaActions actions;
  private final StreamingCalls streams;
  private final AccessControl access;
  private final Readiness readiness;
  private final Consumer<HttpConnection> onReport;

  /**
   * Creates the service.
   *
   * @param streams polls the open calls
   * @param onReport is notified of connections whose clients have sent a report
   */
  QuotaService(
      EnvoyQuotas quotas,
      StreamingCalls streams,
      AccessControl access,
      Readiness readiness,
      Consumer<HttpConnection> onReport) {
    this.quotas = quotas;
    this.actions = new QuotaActions(quotas.settings().ttl());
    this.streams = streams;
    this.access = access;
    this.readiness = readiness;
    this.onReport = onReport;
  }

  void handle(GrpcServerRequest<Buffer, RateLimitQuotaResponse> call) {
    var reply = new GrpcReply<>(call);
    var refusal =
        access.checkDenial(call.headers().get(HttpHeaders.AUTHORIZATION), call.connection());
    if (refusal.isPresent()) {
      boolean unauthenticated = refusal.get().status() == 401;
      reply.fail(
          unauthenticated ? GrpcStatus.UNAUTHENTICATED : GrpcStatus.PERMISSION_DENIED,
          refusal.get().reason());
      return;
    }
    new QuotaCall(call, reply).start();
  }

  private final class QuotaCall {
    private final GrpcServerRequest<Buffer, RateLimitQuotaResponse> call;
    private final GrpcReply<RateLimitQuotaResponse> reply;
    private String domain = "";
    private int work; // since the last poll
    private boolean paused;
    private int unsent; // responses that the client has not taken yet
    private long unsentSince;

    QuotaCall(
        GrpcServerRequest<Buffer, RateLimitQuotaResponse> call,
        GrpcReply<RateLimitQuotaResponse> reply) {
      this.call = call;
      this.reply = reply;
    }

    void start() {
      streams.add(call.connection(), reply, this::poll);
      if (reply.isEnded()) return;
      var eventLoop = Objects.requireNonNull(Vertx.currentContext(), "not on an event loop");
      var opened = quotas.book().open(actions -> eventLoop.runOnContext(woken -> send(actions)));
      if (opened.isEmpty()) {
        reply.fail(
            GrpcStatus.RESOURCE_EXHAUSTED,
            "too many quota streams: at most %d for each instance; add instances"
                .formatted(quotas.settings().maxStreams()));
        return;
      }
      var open = opened.get();
      reply.onEnd(() -> quotas.book().close(open));
      call.endHandler(end -> reply.end());
      reply.receive(RateLimitQuotaUsageReports.parser(), message -> receive(open, message));
    }

    private void receive(QuotaStream<BucketName> stream, RateLimitQuotaUsageReports message) {
      onReport.accept(call.connection());
      if (domain.isEmpty()) domain = domain(message);
      var usages = new ArrayList<QuotaUsage<BucketName>>(message.getBucketQuotaUsagesCount());
      var tooLarge = new ArrayList<QuotaAction<BucketName>>();
      for (var usage : message.getBucketQuotaUsagesList()) {
        if (!BucketName.isAnswerable(usage.getBucketId())) continue;
        var name = BucketName.of(usage.getBucketId());
        if (name.isTooLarge()) {
          tooLarge.add(new QuotaAction.Assign<>(name, new QuotaStrategy.DenyAll(), true));
        } else {
          usages.add(
              new QuotaUsage<>(
                  name,
                  name.subject(domain),
                  usage.getNumRequestsAllowed(),
                  usage.getNumRequestsDenied()));
        }
      }
      if (!tooLarge.isEmpty()) send(tooLarge);
      quotas.book().report(stream, usages);
      work += 1 + message.getBucketQuotaUsagesCount();
      if (work < MAX_WORK_PER_POLL || paused) return;
      paused = true;
      call.pause();
    }

    private static String domain(RateLimitQuotaUsageReports message) {
      if (message.getDomainBytes().isEmpty()) {
        throw GrpcException.invalid(
            "domain is empty in the first report; set domain in Envoy's rate limit quota filter");
      }
      return Descriptors.value(Descriptors.text(message.getDomain(), message.getDomainBytes()));
    }

    private void send(List<QuotaAction<BucketName>> actions) {
      if (reply.isEnded()) return;
      if (unsent++ == 0) unsentSince = System.nanoTime();
      var unused = reply.push(QuotaService.this.actions.of(actions)).onComplete(sent -> unsent--);
    }

    private void poll() {
      if (reply.isEnded()) return;
      if (readiness.isStopping()) {
        reply.fail(GrpcStatus.UNAVAILABLE, "the service is stopping; use another instance");
        return;
      }
      // An assignment that waits to be sent would begin later than its permits are held for.
      long limit = quotas.settings().roundTrip().toNanos() / 2;
      if (unsent > 0 && System.nanoTime() - unsentSince > limit) {
        reply.cancel();
        return;
      }
      work = 0;
      if (!paused) return;
      paused = false;
      call.resume();
    }
  }
}
