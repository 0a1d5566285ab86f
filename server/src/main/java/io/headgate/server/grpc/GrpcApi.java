package io.headgate.server.grpc;

import io.headgate.RateLimiter;
import io.headgate.server.grpc.proto.HealthCheckRequest;
import io.headgate.server.grpc.proto.HealthCheckResponse;
import io.headgate.server.grpc.proto.HealthProto;
import io.headgate.server.grpc.proto.RateLimitRequest;
import io.headgate.server.grpc.proto.RateLimitResponse;
import io.headgate.server.grpc.proto.RlsProto;
import io.headgate.server.http.Access;
import io.headgate.server.http.Readiness;
import io.headgate.store.Ticker;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import io.vertx.grpc.reflection.ReflectionService;
import io.vertx.grpc.server.GrpcProtocol;
import io.vertx.grpc.server.GrpcServer;
import io.vertx.grpc.server.GrpcServerOptions;
import io.vertx.grpc.server.Service;
import java.util.Set;
import java.util.function.Consumer;

/** All of gRPC, for the requests of one event loop. */
public final class GrpcApi {
  static final int LONGEST_MESSAGE = 64 * 1024;

  private static final String RATE_LIMITS = "envoy.service.ratelimit.v3.RateLimitService";
  private static final String HEALTH = "grpc.health.v1.Health";

  private final GrpcServer server;
  private final Readiness readiness;

  /**
   * @param heard is told of connections that are silent, but whose clients are known to be there
   */
  public GrpcApi(
      Vertx vertx,
      RateLimiter limiter,
      Ticker ticker,
      Access access,
      Readiness readiness,
      GrpcSettings settings,
      Consumer<HttpConnection> heard) {
    var options =
        new GrpcServerOptions()
            .setMaxMessageSize(LONGEST_MESSAGE)
            .setScheduleDeadlineAutomatically(false)
            .removeEnabledProtocol(GrpcProtocol.WEB)
            .removeEnabledProtocol(GrpcProtocol.WEB_TEXT);
    var rateLimits = new RateLimitCalls(vertx, limiter, access, ticker, settings);
    var health = new Health(vertx, readiness, Set.of(RATE_LIMITS), heard);
    this.readiness = readiness;
    this.server =
        GrpcServer.server(vertx, options)
            .addService(rateLimits(rateLimits))
            .addService(health(health))
            .addService(ReflectionService.v1());
  }

  /** Serves the request if it is one of gRPC; false leaves it to those who speak HTTP. */
  public boolean takes(HttpServerRequest request) {
    if (!isGrpc(request)) return false;
    if (readiness.isStopping()) request.connection().goAway(0); // the client learns: these are last
    server.handle(request);
    return true;
  }

  private static boolean isGrpc(HttpServerRequest request) {
    if (request.version() != HttpVersion.HTTP_2) return false;
    String type = request.getHeader(HttpHeaders.CONTENT_TYPE);
    return type != null
        && type.startsWith("application/grpc")
        && !type.startsWith("application/grpc-web");
  }

  private static Service rateLimits(RateLimitCalls calls) {
    var name = ServiceName.create(RATE_LIMITS);
    ServiceMethod<RateLimitRequest, RateLimitResponse> shouldRateLimit =
        ServiceMethod.server(
            name,
            "ShouldRateLimit",
            GrpcMessageEncoder.encoder(),
            GrpcMessageDecoder.decoder(RateLimitRequest.newBuilder()));
    return Service.service(name, RlsProto.getDescriptor().findServiceByName("RateLimitService"))
        .bind(shouldRateLimit, calls::handle)
        .build();
  }

  private static Service health(Health health) {
    var name = ServiceName.create(HEALTH);
    return Service.service(name, HealthProto.getDescriptor().findServiceByName("Health"))
        .bind(ofHealth(name, "Check"), health::check)
        .bind(ofHealth(name, "Watch"), health::watch)
        .build();
  }

  private static ServiceMethod<HealthCheckRequest, HealthCheckResponse> ofHealth(
      ServiceName service, String method) {
    return ServiceMethod.server(
        service,
        method,
        GrpcMessageEncoder.encoder(),
        GrpcMessageDecoder.decoder(HealthCheckRequest.newBuilder()));
  }
}
