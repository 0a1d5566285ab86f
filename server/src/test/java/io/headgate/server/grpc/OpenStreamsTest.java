package io.headgate.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.grpc.Status;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.headgate.server.api.Readiness;
import io.headgate.server.grpc.proto.HealthCheckResponse;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcMessageEncoder;
import io.vertx.grpc.common.ServiceMethod;
import io.vertx.grpc.common.ServiceName;
import io.vertx.grpc.server.GrpcServer;
import java.time.Duration;
import java.util.AbstractSet;
import java.util.Collections;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Tests that long-lived calls end with their clients and with the service. */
class OpenStreamsTest {
  private static final String OTHER = "other";

  @Test
  void openStreamsDoNotDelayTheStop() throws Exception {
    try (var service = GrpcService.withGrace(Duration.ofMinutes(10))) {
      var watch = OpenCall.open(service, HealthGrpc.getWatchMethod());
      watch.send(HealthCheckRequest.newBuilder().setService(OTHER).build()).end();
      assertThat(watch.answer().getStatus()).isEqualTo(ServingStatus.SERVICE_UNKNOWN);
      var reflecting = OpenCall.open(service, ServerReflectionGrpc.getServerReflectionInfoMethod());
      reflecting.send(ServerReflectionRequest.newBuilder().setListServices("").build());
      assertThat(reflecting.answer().hasListServicesResponse()).isTrue();
      service.stop(); // would take the whole grace otherwise
      assertThat(watch.status().getCode()).isEqualTo(Status.Code.OK);
      assertThat(reflecting.status().getCode()).isEqualTo(Status.Code.UNAVAILABLE);
    }
  }

  /** Counts how often it was polled. */
  private static final class CountedServices extends AbstractSet<String> {
    final AtomicInteger looks = new AtomicInteger();

    @Override
    public boolean contains(Object name) {
      looks.incrementAndGet();
      return true;
    }

    @Override
    public Iterator<String> iterator() {
      return Collections.emptyIterator();
    }

    @Override
    public int size() {
      return 0;
    }
  }

  @Test
  void watchOfAClosedConnectionIsNoLongerPolled() throws Exception {
    var vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    try {
      var services = new CountedServices();
      var health =
          new HealthService(new StreamingCalls(vertx), new Readiness(), services, heard -> {});
      ServiceMethod<Buffer, HealthCheckResponse> method =
          ServiceMethod.server(
              ServiceName.create("grpc.health.v1.Health"),
              "Watch",
              GrpcMessageEncoder.encoder(),
              GrpcMessageDecoder.IDENTITY);
      var server =
          get(
              vertx
                  .createHttpServer()
                  .requestHandler(GrpcServer.server(vertx).callHandler(method, health::watch))
                  .listen(0, "127.0.0.1"));
      try (var client = new RawHttp2(server.actualPort())) {
        int stream = client.post("/grpc.health.v1.Health/Watch", "application/grpc");
        var asked = HealthCheckRequest.newBuilder().setService(OTHER).build();
        client.data(stream, RawHttp2.framed(asked.toByteArray()), true);
        client.next(RawHttp2.DATA, stream);
        await().until(() -> services.looks.get() > 2);
      }
      var before = new AtomicInteger();
      await()
          .pollInterval(StreamingCalls.POLL_INTERVAL.multipliedBy(10))
          .until(() -> before.getAndSet(services.looks.get()) == services.looks.get());
    } finally {
      get(vertx.close());
    }
  }

  private static <T> T get(Future<T> future) throws Exception {
    return future.toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
  }
}
