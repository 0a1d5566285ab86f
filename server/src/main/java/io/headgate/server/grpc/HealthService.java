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

/** Whether the service wants more calls, as gRPC clients ask it: once, or to be told of changes. */
final class HealthService {
  private static final int LOOKS_PER_PING = 100;
  private static final int LONGEST_SHOWN = 100;

  private final StreamingCalls lasting;
  private final Readiness readiness;
  private final Set<String> services;
  private final Consumer<HttpConnection> heard;

  /**
   * @param lasting looks at those who watch
   * @param services the names that can be asked about; the empty one stands for all
   * @param heard is told of connections whose watching clients are still there
   */
  HealthService(
      StreamingCalls lasting,
      Readiness readiness,
      Set<String> services,
      Consumer<HttpConnection> heard) {
    this.lasting = lasting;
    this.readiness = readiness;
    this.services = services;
    this.heard = heard;
  }

  void check(GrpcServerRequest<Buffer, HealthCheckResponse> call) {
    var answer = new GrpcReply<>(call);
    answer.receiveOne(
        HealthCheckRequest.parser(),
        asked -> {
          var status = status(asked.getService());
          if (status == ServingStatus.SERVICE_UNKNOWN) {
            answer.fail(GrpcStatus.NOT_FOUND, "there is no service '%s'".formatted(shown(asked)));
          } else {
            answer.send(response(status));
          }
        });
  }

  void watch(GrpcServerRequest<Buffer, HealthCheckResponse> call) {
    var answer = new GrpcReply<>(call);
    answer.receiveOne(
        HealthCheckRequest.parser(), asked -> new Watch(call, answer, asked.getService()).start());
  }

  private static String shown(HealthCheckRequest asked) {
    String name = asked.getService();
    return name.length() <= LONGEST_SHOWN ? name : name.substring(0, LONGEST_SHOWN) + "…";
  }

  private ServingStatus status(String service) {
    if (!service.isEmpty() && !services.contains(service)) return ServingStatus.SERVICE_UNKNOWN;
    return readiness.isStopping() ? ServingStatus.NOT_SERVING : ServingStatus.SERVING;
  }

  private static HealthCheckResponse response(ServingStatus status) {
    return HealthCheckResponse.newBuilder().setStatus(status).build();
  }

  /** One client that watches. It says nothing more, so it is asked now and then if it is there. */
  private final class Watch {
    private final GrpcServerRequest<Buffer, HealthCheckResponse> call;
    private final GrpcReply<HealthCheckResponse> answer;
    private final String service;
    private ServingStatus told = ServingStatus.UNKNOWN;
    private int looks;

    Watch(
        GrpcServerRequest<Buffer, HealthCheckResponse> call,
        GrpcReply<HealthCheckResponse> answer,
        String service) {
      this.call = call;
      this.answer = answer;
      this.service = service;
    }

    void start() {
      lasting.add(call.connection(), answer, this::look);
      if (!answer.isGiven()) look();
    }

    private void look() {
      if (answer.isGiven()) return;
      var now = status(service);
      if (now != told) {
        told = now;
        answer.write(response(now));
      }
      if (readiness.isStopping()) {
        answer.end();
      } else if (++looks % LOOKS_PER_PING == 0) {
        call.connection()
            .ping(Buffer.buffer(new byte[8]))
            .onSuccess(pong -> heard.accept(call.connection()));
      }
    }
  }
}
