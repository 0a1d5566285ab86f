package io.headgate.server.grpc;

import com.google.protobuf.MessageLite;
import io.headgate.server.api.AccessControl;
import io.headgate.server.api.Readiness;
import io.headgate.server.check.CheckService;
import io.headgate.server.grpc.proto.HealthProto;
import io.headgate.server.grpc.proto.ReservationsProto;
import io.headgate.server.grpc.proto.RlqsProto;
import io.headgate.server.grpc.proto.RlsProto;
import io.headgate.server.http.transport.ConnectionTracker;
import io.headgate.server.http.transport.NonApiRequest;
import io.headgate.server.metrics.UnansweredCalls;
import io.headgate.server.trace.Tracing;
import io.headgate.store.Budget;
import io.headgate.store.Ticker;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.internal.http.HttpServerRequestInternal;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import io.vertx.grpc.reflection.v1.ServerReflectionProto;
import io.vertx.grpc.server.GrpcProtocol;
import io.vertx.grpc.server.GrpcServer;
import io.vertx.grpc.server.GrpcServerOptions;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Serves all gRPC services on one event loop: Envoy's rate limit and quota services, reservations,
 * health and reflection. Not thread-safe.
 */
public final class GrpcApi {
  /** The rule id of decisions by the limit of a descriptor. */
  public static final String DESCRIPTOR_LIMIT = "descriptor-limit";

  /**
   * The maximum size of a message; a larger call is denied. Exceeds the messages of an Envoy with
   * its default of 60 KiB of request headers, unless 17 or more descriptors contain the longest
   * header.
   */
  static final int MAX_MESSAGE_BYTES = 1024 * 1024;

  private static final String RATE_LIMITS = "envoy.service.ratelimit.v3.RateLimitService";
  private static final String RATE_LIMIT_METHOD = "ShouldRateLimit";
  private static final String QUOTAS = "envoy.service.rate_limit_quota.v3.RateLimitQuotaService";
  private static final String QUOTA_METHOD = "StreamRateLimitQuotas";
  private static final int MAX_QUOTA_STREAMS_PER_CONNECTION = 64;
  private static final String HEALTH = "grpc.health.v1.Health";

  /** Older tools use the second name; the messages are the same. */
  private static final List<String> REFLECTION =
      List.of("grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection");

  private static final String REFLECTION_METHOD = "ServerReflectionInfo";

  private final GrpcServer server;
  private final Vertx vertx;
  private final ConnectionTracker connections;
  private final long reflectionResponseBytes;
  private final CallEnds ends;
  private final ArrivingCall arriving = new ArrivingCall();
  private final Budget streams;

  /**
   * Creates the services. Must be called on the event loop that serves them.
   *
   * @param checkService decides the calls of this event loop
   * @param quotas the quota assignments of all event loops
   * @param connections tracks the connections of this event loop
   * @param unanswered counts rate limit calls without a decision
   */
  public GrpcApi(
      Vertx vertx,
      CheckService checkService,
      EnvoyQuotas quotas,
      Ticker ticker,
      AccessControl access,
      Readiness readiness,
      GrpcSettings settings,
      Tracing tracing,
      ConnectionTracker connections,
      UnansweredCalls unanswered) {
    this.ends = new CallEnds(unanswered);
    var options =
        new GrpcServerOptions()
            .setMaxMessageSize(MAX_MESSAGE_BYTES)
            .setScheduleDeadlineAutomatically(false)
            .removeEnabledProtocol(GrpcProtocol.WEB)
            .removeEnabledProtocol(GrpcProtocol.WEB_TEXT);
    var rateLimits =
        new RateLimitService(checkService, access, ticker, settings, tracing, ends, arriving);
    var streams = new StreamingCalls(vertx);
    var health =
        new HealthService(
            streams,
            readiness,
            Set.of(RATE_LIMITS, QUOTAS, ReservationService.NAME),
            connections::recordActivity);
    var reflection =
        new ReflectionService(
            streams,
            readiness,
            List.of(
                RlsProto.getDescriptor().findServiceByName("RateLimitService"),
                ReservationsProto.getDescriptor().findServiceByName("ReservationService"),
                RlqsProto.getDescriptor().findServiceByName("RateLimitQuotaService"),
                HealthProto.getDescriptor().findServiceByName("Health"),
                ServerReflectionProto.getDescriptor().findServiceByName("ServerReflection")));
    var quotaService =
        new QuotaService(
            quotas,
            new StreamingCalls(
                vertx,
                quotas.settings().maxStreams(),
                MAX_QUOTA_STREAMS_PER_CONNECTION,
                quotas.book().streamBudget()),
            access,
            readiness,
            connections::recordActivity);
    this.vertx = vertx;
    this.streams = streams.budget();
    this.connections = connections;
    this.reflectionResponseBytes = reflection.maxResponseBytes();
    this.server =
        GrpcServer.server(vertx, options)
            .callHandler(method(RATE_LIMITS, RATE_LIMIT_METHOD), rateLimits::handle)
            .callHandler(method(QUOTAS, QUOTA_METHOD), quotaService::handle)
            .callHandler(method(HEALTH, "Check"), health::check)
            .callHandler(method(HEALTH, "Watch"), health::watch);
    serve(new ReservationService(vertx, checkService, access, tracing, arriving));
    for (var name : REFLECTION) {
      server.callHandler(method(name, REFLECTION_METHOD), reflection::handle);
    }
  }

  private void serve(ReservationService reservations) {
    String service = ReservationService.NAME;
    server
        .callHandler(method(service, "Reserve"), reservations::reserve)
        .callHandler(method(service, "Update"), reservations::update)
        .callHandler(method(service, "Settle"), reservations::settle)
        .callHandler(method(service, "Cancel"), reservations::cancel)
        .callHandler(method(service, "ReportUsage"), reservations::reportUsage);
  }

  /** Returns the use of long-lived calls that need no token, and their refusals. */
  public Budget budget() {
    return streams;
  }

  /** Serves a request that is a gRPC call. Rejects it if there is no memory for it. */
  public void handle(HttpServerRequest request) {
    boolean reflection = isMethod(request, REFLECTION_METHOD);
    boolean quotas = isMethod(request, QUOTA_METHOD);
    long responseBytes = reflection ? reflectionResponseBytes : 0;
    var call = new NonApiRequest(request, vertx, connections, responseBytes);
    var counted = isMethod(request, RATE_LIMIT_METHOD) ? ends : null;
    if (call.begin(reflection || quotas)) {
      arriving.during(call, () -> server.handle(framed(request, call, quotas, counted)));
    } else if (counted != null) {
      counted.failed(GrpcStatus.RESOURCE_EXHAUSTED);
    }
  }

  private static HttpServerRequest framed(
      HttpServerRequest request, NonApiRequest call, boolean endless, @Nullable CallEnds ends) {
    return request instanceof HttpServerRequestInternal known
        ? new GrpcFrames(known, call, endless, ends)
        : request;
  }

  private static boolean isMethod(HttpServerRequest request, String method) {
    String path = request.path();
    return path != null && path.endsWith("/" + method);
  }

  private static <A extends MessageLite> ServiceMethod<Buffer, A> method(
      String service, String name) {
    return ServiceMethod.server(
        ServiceName.create(service),
        name,
        GrpcMessageEncoder.encoder(),
        GrpcMessageDecoder.IDENTITY);
  }
}
