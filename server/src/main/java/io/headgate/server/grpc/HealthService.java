package io.headgate.server.grpc;

import io.headgate.server.api.Readiness;
import io.headgate.server.grpc.proto.HealthCheckRequest;
import io.headgate.server.grpc.proto.HealthCheckResponse;
import io.headgate.server.grpc.proto.HealthCheckResponse.ServingStatus;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpConnection;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.server.GrpcServerRequest;
import java.util.Set;
import java.util.function.Consumer;

/** The gRPC health checking protocol: Check returns the status once, Watch streams its changes. */
final class HealthService {
  private static final int POLLS_PER_PING = 100;
  private static final int MAX_SHOWN_LENGTH = 100;

  private final StreamingCalls streams;
  private final Readiness readiness;
  private final Set<String> services;
  private final Consumer<HttpConnection> onPong;

  /**
   * Creates the service.
   *
   * @param streams polls the open Watch calls
   * @param services the known service names; the empty name, for the whole server, is implied
   * @param onPong is notified of connections whose Watch clients answered a ping
   */
  HealthService(
      StreamingCalls streams,
      Readiness readiness,
      Set<String> services,
      Consumer<HttpConnection> onPong) {
    this.streams = streams;
    this.readiness = readiness;
    this.services = services;
    this.onPong = onPong;
  }

  void check(GrpcServerRequest<Buffer, HealthCheckResponse> call) {
    var reply = new GrpcReply<>(call);
    reply.receiveOne(
        HealthCheckRequest.parser(),
        request -> {
          var status = status(request.getService());
          if (status == ServingStatus.SERVICE_UNKNOWN) {
            reply.fail(GrpcStatus.NOT_FOUND, "unknown service '%s'".formatted(shown(request)));
          } else {
            reply.send(response(status));
          }
        });
  }

  void watch(GrpcServerRequest<Buffer, HealthCheckResponse> call) {
    var reply = new GrpcReply<>(call);
    reply.receiveOne(
        HealthCheckRequest.parser(),
        request -> new Watch(call, reply, request.getService()).start());
  }

  private static String shown(HealthCheckRequest request) {
    String name = request.getService();
    return name.length() <= MAX_SHOWN_LENGTH ? name : name.substring(0, MAX_SHOWN_LENGTH) + "…";
  }

  private ServingStatus status(String service) {
    if (!service.isEmpty() && !services.contains(service)) return ServingStatus.SERVICE_UNKNOWN;
    return readiness.isStopping() ? ServingStatus.NOT_SERVING : ServingStatus.SERVING;
  }

  private static HealthCheckResponse response(ServingStatus status) {
    return HealthCheckResponse.newBuilder().setStatus(status).build();
  }

  /** One Watch call. Its client sends nothing more, so it is pinged periodically. */
  private final class Watch {
    private final GrpcServerRequest<Buffer, HealthCheckResponse> call;
    private final GrpcReply<HealthCheckResponse> reply;
    private final String service;
    private ServingStatus lastSent = ServingStatus.UNKNOWN;
    private int polls;

    Watch(
        GrpcServerRequest<Buffer, HealthCheckResponse> call,
        GrpcReply<HealthCheckResponse> reply,
        String service) {
      this.call = call;
      this.reply = reply;
      this.service = service;
    }

    void start() {
      streams.add(call.connection(), reply, this::poll);
      if (!reply.isEnded()) poll();
    }

    private void poll() {
      if (reply.isEnded()) return;
      var now = status(service);
      if (now != lastSent) {
        lastSent = now;
        reply.write(response(now));
      }
      if (readiness.isStopping()) {
        reply.end();
      } else if (++polls % POLLS_PER_PING == 0) {
        call.connection()
            .ping(Buffer.buffer(new byte[8]))
            .onSuccess(pong -> onPong.accept(call.connection()));
      }
    }
  }
}
