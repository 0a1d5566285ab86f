package io.headgate.server.grpc;

import static io.headgate.server.grpc.ReservationClient.reservation;
import static io.headgate.server.grpc.ReservationClient.tokens;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.grpc.ClientInterceptors;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.reflection.v1.ServerReflectionGrpc;
import io.grpc.reflection.v1.ServerReflectionRequest;
import io.grpc.stub.MetadataUtils;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.ReservationSettings;
import io.headgate.rule.ReservationSettings.Excess;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.Subject;
import io.headgate.server.api.AccessControl;
import io.headgate.server.grpc.proto.CostAmounts;
import io.headgate.server.grpc.proto.ReservationStatus;
import io.headgate.server.grpc.proto.ReserveRequest;
import io.headgate.server.grpc.proto.SettleRequest;
import io.headgate.server.grpc.proto.UpdateRequest;
import io.headgate.store.ForwardingStore;
import io.headgate.store.MemoryStore;
import io.headgate.store.ReservationStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests the reservation service with a channel of grpc-java. Each test has a team of its own. */
class ReservationServiceTest {
  private static final Rule TOKENS =
      Rule.named("tpm")
          .match("team", "*")
          .limits(
              List.of(
                  RuleLimit.of("requests", FixedWindow.of(Rate.perMinute(100))),
                  RuleLimit.of("tokens", TokenBucket.of(Rate.perMinute(1_000))).withCost("tokens")))
          .reservation(
              ReservationSettings.DEFAULT
                  .withTtl(Duration.ofSeconds(60))
                  .withMaxShare(800)
                  .withDefaultCost(200))
          .build();
  private static final Rule REFUSING =
      Rule.named("strict")
          .match("model", "*")
          .limits(
              List.of(
                  RuleLimit.of("tokens", TokenBucket.of(Rate.perMinute(1_000))).withCost("tokens")))
          .reservation(ReservationSettings.DEFAULT.withExcess(Excess.REFUSE))
          .build();
  private static final Rule SLOTS =
      Rule.named("one").match("user", "*").limit(Concurrency.of(1)).build();

  private static GrpcService service;
  private static ReservationClient client;

  @BeforeAll
  static void start() {
    service = GrpcService.with(TOKENS, REFUSING, SLOTS);
    client = ReservationClient.of(service);
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Test
  void settlementChargesTheRealCostAndReturnsTheRest() {
    var made = client.reserve("settles", 600);
    assertThat(made.getReserved().getNamedMap()).isEqualTo(Map.of("tokens", 600L));
    assertThat(made.getReserved().getCost()).isOne();
    assertThat(made.hasRequested()).isFalse();
    assertThat(made.getExpiresAtMs()).isEqualTo(GrpcService.START / 1_000 + 60_000);
    assertThat(made.getLimits(1).getRemaining()).isEqualTo(400);
    assertThat(remaining("settles")).isEqualTo(400);

    var settled = client.settle(made.getId(), 350);
    assertThat(settled.getStatus()).isEqualTo(ReservationStatus.SETTLED);
    assertThat(settled.getCharged().getNamedOrThrow("tokens")).isEqualTo(350);
    assertThat(settled.getReturned().getNamedOrThrow("tokens")).isEqualTo(250);
    assertThat(remaining("settles")).isEqualTo(650);

    assertThat(client.settle(made.getId(), 999)).isEqualTo(settled);
    assertThat(remaining("settles")).as("charged once").isEqualTo(650);
  }

  @Test
  void misspelledCostIsListedAndCannotBeSettled() {
    var misspelled = CostAmounts.newBuilder().putNamed("token", 600);
    var made =
        client.reserve(
            ReserveRequest.newBuilder()
                .putSubject("team", "misspells")
                .setCosts(misspelled)
                .build());
    assertThat(made.getUnusedCostsList()).containsExactly("token");
    var failure =
        failure(() ->
            client.settle(SettleRequest.newBuilder().setId(made.getId()).setActual(misspelled)));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(failure.getStatus().getDescription())
        .startsWith("cost 'token' is not a cost of this reservation, which has cost, tokens");
    var settled = client.settle(made.getId(), 50);
    assertThat(settled.getCharged().getNamedOrThrow("tokens")).isEqualTo(50);
    assertThat(settled.getUnusedCostsList()).isEmpty();
  }

  @Test
  void denialIsResourceExhaustedWithTheTimeToWait() {
    client.reserve("denied", 800);
    var failure = failure(() -> client.reserve("denied", 400));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(failure.getStatus().getDescription())
        .isEqualTo("limit 'tpm/tokens' is exceeded; retry after 12000 ms");
    assertThat(pushback(failure)).isEqualTo("12000");
    assertThat(remaining("denied")).as("nothing is charged").isEqualTo(200);
  }

  @Test
  void estimateAboveTheShareIsReducedAndShown() {
    var made = client.reserve("clamped", 5_000);
    assertThat(made.getReserved().getNamedOrThrow("tokens")).isEqualTo(800);
    assertThat(made.getRequested().getNamedOrThrow("tokens")).isEqualTo(5_000);
  }

  @Test
  void estimateThatARuleRefusesIsNotRetried() {
    var request = ReserveRequest.newBuilder().putSubject("model", "m").setCosts(tokens(5_000));
    var failure = failure(() -> client.reserve(request.build()));
    assertThat(failure.getStatus().getCode()).isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    assertThat(failure.getStatus().getDescription())
        .contains("at most 1000 permits, and the estimate is 5000");
    assertThat(pushback(failure)).isEqualTo("-1");
  }

  @Test
  void updateReportsUsageGrowsAndTellsWhenNothingIsLeft() {
    String id = client.reserve("updates", 600).getId();
    var open = client.update(id, 200);
    assertThat(open.getMayContinue()).isTrue();
    assertThat(open.getStatus()).isEqualTo(ReservationStatus.OPEN);
    assertThat(open.getReserved().getNamedOrThrow("tokens")).isEqualTo(400);

    var grown =
        client.update(
            UpdateRequest.newBuilder().setId(id).setUsed(tokens(200)).setMore(tokens(200)));
    assertThat(grown.getGrown()).isTrue();
    assertThat(grown.getReserved().getNamedOrThrow("tokens")).isEqualTo(600);

    assertThat(client.reportUsage("updates", 900).getLimits(1).getRemaining()).isZero();
    assertThat(client.update(id, 900).getMayContinue()).isFalse();
  }

  @Test
  void cancelledReservationReturnsEverything() {
    String id = client.reserve("cancels", 600).getId();
    assertThat(client.cancel(id).getStatus()).isEqualTo(ReservationStatus.SETTLED);
    assertThat(remaining("cancels")).isEqualTo(1_000);
    assertThat(client.cancel(id).getStatus()).as("again").isEqualTo(ReservationStatus.SETTLED);
  }

  @Test
  void slotIsHeldUntilTheReservationEnds() {
    var user = ReserveRequest.newBuilder().putSubject("user", "7").build();
    String id = client.reserve(user).getId();
    assertThat(failure(() -> client.reserve(user)).getStatus().getCode())
        .isEqualTo(Status.Code.RESOURCE_EXHAUSTED);
    client.cancel(id);
    client.cancel(client.reserve(user).getId());
  }

  @Test
  void forgedIdIsNotFound() {
    String id = client.reserve("forged", 600).getId();
    String forged = (id.charAt(0) == 'A' ? 'B' : 'A') + id.substring(1);
    for (var unknown : List.of("x", forged, "y".repeat(100_000))) {
      for (ThrowingCallable call :
          List.<ThrowingCallable>of(
              () -> client.update(unknown, 1),
              () -> client.settle(unknown, 1),
              () -> client.cancel(unknown))) {
        var status = failure(call).getStatus();
        assertThat(status.getCode()).isEqualTo(Status.Code.NOT_FOUND);
        assertThat(status.getDescription())
            .startsWith("there is no reservation '")
            .hasSizeLessThan(250);
      }
    }
    assertThat(remaining("forged")).isEqualTo(400);
  }

  private record BadCall(ThrowingCallable call, String message) {
    @Override
    public String toString() {
      return message;
    }
  }

  private static Stream<BadCall> badCalls() {
    var many = ReserveRequest.newBuilder();
    for (int i = 0; i < 33; i++) many.putSubject("a" + i, "x");
    var costs = CostAmounts.newBuilder();
    for (int i = 0; i < 17; i++) costs.putNamed("c" + i, 1);
    return Stream.of(
        bad(ReserveRequest.newBuilder(), "subject has no attributes"),
        bad(many, "subject may have at most 32 entries, got 33"),
        bad(ReserveRequest.newBuilder().putSubject("team", ""), "subject.team is empty"),
        bad(ReserveRequest.newBuilder().putSubject("", "x"), "subject has an empty name"),
        bad(
            ReserveRequest.newBuilder().putSubject("t".repeat(65), "x"),
            "subject has too long a name (65 characters)"),
        bad(
            ReserveRequest.newBuilder().putSubject("team", "x".repeat(1_025)),
            "subject.team may have at most 1024 characters, got 1025"),
        bad(
            ReserveRequest.newBuilder().putSubject("team", "a\nb"),
            "subject.team has the control character U+000A"),
        bad(reservation("bad", -1), "costs.tokens must be 0 to 4503599627370496, got -1"),
        bad(
            reservation("bad", 1).setCosts(CostAmounts.newBuilder().setCost(-1)),
            "costs.cost must be"),
        bad(reservation("bad", 1).setCosts(costs), "costs may have at most 16 entries, got 17"),
        bad(reservation("bad", 1).setTtlMs(999), "ttl_ms must be 1000 to 3600000, got 999"),
        bad(reservation("bad", 1).setTtlMs(3_600_001), "ttl_ms must be 1000 to 3600000"),
        new BadCall(() -> client.update("x", -1), "used.tokens must be"),
        new BadCall(() -> client.update(UpdateRequest.newBuilder().setId("x")), "used is missing"),
        new BadCall(
            () -> client.settle(SettleRequest.newBuilder().setId("x")), "actual is missing"),
        new BadCall(() -> client.cancel(""), "id is missing"));
  }

  private static BadCall bad(ReserveRequest.Builder request, String message) {
    return new BadCall(() -> client.reserve(request.build()), message);
  }

  @ParameterizedTest
  @MethodSource("badCalls")
  void invalidInputNamesTheField(BadCall bad) {
    var status = failure(bad.call).getStatus();
    assertThat(status.getCode()).isEqualTo(Status.Code.INVALID_ARGUMENT);
    assertThat(status.getDescription()).startsWith(bad.message);
  }

  @Test
  void callNeedsTheRoleCheck() {
    var access = new AccessControl(Optional.of("for-admins"), Optional.of("for-checks"));
    try (var guarded = GrpcService.with(access, TOKENS)) {
      var other = ReservationClient.of(guarded);
      assertThat(failure(() -> other.reserve("a", 1)).getStatus().getCode())
          .isEqualTo(Status.Code.UNAUTHENTICATED);
      assertThat(failure(() -> other.settle("x", 1)).getStatus().getCode())
          .isEqualTo(Status.Code.UNAUTHENTICATED);
      var metadata = new Metadata();
      metadata.put(
          Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER), "Bearer for-checks");
      var allowed =
          other.over(
              ClientInterceptors.intercept(
                  guarded.envoy.channel(), MetadataUtils.newAttachHeadersInterceptor(metadata)));
      assertThat(allowed.reserve("a", 1).getId()).isNotEmpty();
    }
  }

  @Test
  void storeWithoutReservationsIsUnimplemented() {
    var store =
        new ForwardingStore(MemoryStore.create()) {
          @Override
          public Optional<ReservationStore> reservations() {
            return Optional.empty();
          }
        };
    try (var other = GrpcService.over(store, Duration.ofSeconds(10), TOKENS)) {
      var status = failure(() -> ReservationClient.of(other).reserve("a", 1)).getStatus();
      assertThat(status.getCode()).isEqualTo(Status.Code.UNIMPLEMENTED);
      assertThat(status.getDescription()).contains("reservations");
    }
  }

  @Test
  void serviceIsInHealthAndReflection() throws Exception {
    var health =
        HealthGrpc.newBlockingStub(service.envoy.channel()).withDeadlineAfter(30, TimeUnit.SECONDS);
    var name = HealthCheckRequest.newBuilder().setService(ReservationService.NAME).build();
    assertThat(health.check(name).getStatus()).isEqualTo(ServingStatus.SERVING);

    var call = OpenCall.open(service, ServerReflectionGrpc.getServerReflectionInfoMethod());
    call.send(
        ServerReflectionRequest.newBuilder()
            .setFileContainingSymbol(ReservationService.NAME + ".Settle")
            .build());
    assertThat(call.answer().getFileDescriptorResponse().getFileDescriptorProto(0).toStringUtf8())
        .contains("headgate/v1/reservations.proto", "ReserveRequest", "may_continue");
  }

  private static long remaining(String team) {
    var subject = Subject.of(Map.of("team", team));
    return service.limiter.peek(subject).limits().stream()
        .filter(limit -> limit.name().equals("tokens"))
        .findFirst()
        .orElseThrow()
        .remaining();
  }

  private static StatusRuntimeException failure(ThrowingCallable call) {
    return catchThrowableOfType(StatusRuntimeException.class, call);
  }

  private static String pushback(StatusRuntimeException failure) {
    return failure
        .getTrailers()
        .get(Metadata.Key.of(ReservationService.PUSHBACK, Metadata.ASCII_STRING_MARSHALLER));
  }
}
