package io.headgate.server.grpc;

import com.google.protobuf.MessageLite;
import io.headgate.RateLimiter;
import io.headgate.server.api.AccessControl;
import io.headgate.server.api.Readiness;
import io.headgate.server.grpc.proto.HealthProto;
import io.headgate.server.grpc.proto.RlsProto;
import io.headgate.server.http.HttpApi;
import io.headgate.server.http.transport.NonApiRequest;
import io.headgate.server.stats.DecisionListener;
import io.headgate.store.Ticker;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.internal.http.HttpServerRequestInternal;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import io.vertx.grpc.reflection.v1.ServerReflectionProto;
import io.vertx.grpc.server.GrpcProtocol;
import io.vertx.grpc.server.GrpcServer;
import io.vertx.grpc.server.GrpcServerOptions;
import java.util.List;
import java.util.Set;

/** All of gRPC, for the requests of one event loop. */
public final class GrpcApi {
  /** The rule that decisions name where a descriptor brought a limit of its own. */
  public static final String DESCRIPTOR_LIMIT = "descriptor-limit";

  /**
   * Above what an Envoy with its usual bound of 60 KiB of request headers sends, where fewer than
   * 17 descriptors hold the longest header. A call beyond it is denied.
   */
  static final int LONGEST_MESSAGE = 1024 * 1024;

  private static final String RATE_LIMITS = "envoy.service.ratelimit.v3.RateLimitService";
  private static final String HEALTH = "grpc.health.v1.Health";

  /** Older tools know it by the second name; the messages are the same. */
  private static final List<String> REFLECTION =
      List.of("grpc.reflection.v1.ServerReflection", "grpc.reflection.v1alpha.ServerReflection");

  private static final String REFLECTION_METHOD = "ServerReflectionInfo";

  private final GrpcServer server;
  private final HttpApi api;
  private final long reflectionAnswer;

  /**
   * @param witness hears of what is decided on this event loop
   * @param api is told of what comes, since it watches over connections
   */
  public GrpcApi(
      Vertx vertx,
      RateLimiter limiter,
      Ticker ticker,
      AccessControl access,
      Readiness readiness,
      GrpcSettings settings,
      DecisionListener witness,
      HttpApi api) {
    var options =
        new GrpcServerOptions()
            .setMaxMessageSize(LONGEST_MESSAGE)
            .setScheduleDeadlineAutomatically(false)
            .removeEnabledProtocol(GrpcProtocol.WEB)
            .removeEnabledProtocol(GrpcProtocol.WEB_TEXT);
    var rateLimits =
        new RateLimitService(vertx, limiter, access, ticker, settings, witness, api.tracing());
    var lasting = new StreamingCalls(vertx);
    var health = new HealthService(lasting, readiness, Set.of(RATE_LIMITS), api::heard);
    var reflection =
        new ReflectionService(
            lasting,
            readiness,
            List.of(
                RlsProto.getDescriptor().findServiceByName("RateLimitService"),
                HealthProto.getDescriptor().findServiceByName("Health"),
                ServerReflectionProto.getDescriptor().findServiceByName("ServerReflection")));
    this.api = api;
    this.reflectionAnswer = reflection.longestAnswer();
    this.server =
        GrpcServer.server(vertx, options)
            .callHandler(method(RATE_LIMITS, "ShouldRateLimit"), rateLimits::handle)
            .callHandler(method(HEALTH, "Check"), health::check)
            .callHandler(method(HEALTH, "Watch"), health::watch);
    for (var name : REFLECTION) {
      server.callHandler(method(name, REFLECTION_METHOD), reflection::handle);
    }
  }

  /** Serves the request if it is one of gRPC; false leaves it to those who speak HTTP. */
  public boolean takes(HttpServerRequest request) {
    if (!isGrpc(request)) return false;
    boolean reflection = isReflection(request);
    var call = api.expects(request, reflection, reflection ? reflectionAnswer : 0);
    if (call.isPresent()) server.handle(framed(request, call.get()));
    return true;
  }

  private static HttpServerRequest framed(HttpServerRequest request, NonApiRequest call) {
    return request instanceof HttpServerRequestInternal known
        ? new GrpcFrames(known, call)
        : request;
  }

  private static boolean isReflection(HttpServerRequest request) {
    String path = request.path();
    return path != null && path.endsWith("/" + REFLECTION_METHOD);
  }

  private static boolean isGrpc(HttpServerRequest request) {
    if (request.version() != HttpVersion.HTTP_2) return false;
    String type = request.getHeader(HttpHeaders.CONTENT_TYPE);
    return type != null
        && type.startsWith("application/grpc")
        && !type.startsWith("application/grpc-web");
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
