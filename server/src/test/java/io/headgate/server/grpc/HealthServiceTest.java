package io.headgate.server.grpc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.reflection.v1.ServerReflectionResponse;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests health and reflection with gRPC's own clients. */
class HealthServiceTest {
  private static final String RATE_LIMITS = "envoy.service.ratelimit.v3.RateLimitService";
  private GrpcService service;

  @BeforeEach
  void start() {
    service = GrpcService.with();
  }

  @AfterEach
  void stop() {
    service.close();
  }

  private HealthGrpc.HealthBlockingStub health() {
    return HealthGrpc.newBlockingStub(service.envoy.channel())
        .withDeadlineAfter(30, TimeUnit.SECONDS);
  }

  private static HealthCheckRequest of(String name) {
    return HealthCheckRequest.newBuilder().setService(name).build();
  }

  @Test
  void serverAndServicesAreServing() {
    assertThat(health().check(of("")).getStatus()).isEqualTo(ServingStatus.SERVING);
    assertThat(health().check(of(RATE_LIMITS)).getStatus()).isEqualTo(ServingStatus.SERVING);
  }

  @Test
  void unknownServiceIsNotFound() {
    var failure =
        catchThrowableOfType(StatusRuntimeException.class, () -> health().check(of("other")));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND);
    assertThat(health().watch(of("other")).next().getStatus())
        .isEqualTo(ServingStatus.SERVICE_UNKNOWN);
  }

  @Test
  void longServiceNameIsTruncatedInTheMessage() {
    var failure =
        catchThrowableOfType(
            StatusRuntimeException.class, () -> health().check(of("x".repeat(60_000))));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND);
    assertThat(failure.getStatus().getDescription()).contains("xxx…").hasSizeLessThan(200);
  }

  @Test
  void watchIsNotifiedOfTheStop() {
    var statuses = health().watch(of(RATE_LIMITS));
    assertThat(statuses.next().getStatus()).isEqualTo(ServingStatus.SERVING);
    service.stop();
    assertThat(statuses.next().getStatus()).isEqualTo(ServingStatus.NOT_SERVING);
    assertThat(statuses.hasNext()).isFalse();
  }

  @Test
  void reflectionReturnsServicesAndFiles() throws Exception {
    var answers = new LinkedBlockingQueue<ServerReflectionResponse>();
    var asking =
        ServerReflectionGrpc.newStub(service.envoy.channel()).serverReflectionInfo(into(answers));
    asking.onNext(ServerReflectionRequest.newBuilder().setListServices("").build());
    var services = answers.poll(30, TimeUnit.SECONDS).getListServicesResponse();
    assertThat(services.getServiceList().stream().map(one -> one.getName()))
        .contains(RATE_LIMITS, "grpc.health.v1.Health");
    asking.onNext(
        ServerReflectionRequest.newBuilder().setFileContainingSymbol(RATE_LIMITS).build());
    var files = answers.poll(30, TimeUnit.SECONDS).getFileDescriptorResponse();
    var names = new ArrayList<String>();
    for (var bytes : files.getFileDescriptorProtoList()) {
      names.add(FileDescriptorProto.parseFrom(bytes).getName());
    }
    assertThat(names)
        .contains("envoy/service/ratelimit/v3/rls.proto", "google/protobuf/duration.proto");
    asking.onNext(ServerReflectionRequest.newBuilder().setFileByFilename("none.proto").build());
    assertThat(answers.poll(30, TimeUnit.SECONDS).getErrorResponse().getErrorCode())
        .isEqualTo(Status.Code.NOT_FOUND.value());
    asking.onCompleted();
  }

  private static StreamObserver<ServerReflectionResponse> into(
      BlockingQueue<ServerReflectionResponse> answers) {
    return new StreamObserver<>() {
      @Override
      public void onNext(ServerReflectionResponse answer) {
        answers.add(answer);
      }

      @Override
      public void onError(Throwable problem) {}

      @Override
      public void onCompleted() {}
    };
  }
}
