package io.headgate.server.grpc;

import com.google.protobuf.Parser;
import io.headgate.CheckResult;
import io.headgate.Decision;
import io.headgate.Reservation;
import io.headgate.ReservationState;
import io.headgate.http.RoundedTimes;
import io.headgate.http.TextSyntax;
import io.headgate.server.api.AccessControl;
import io.headgate.server.api.Role;
import io.headgate.server.check.CheckService;
import io.headgate.server.grpc.proto.CancelRequest;
import io.headgate.server.grpc.proto.CancelResponse;
import io.headgate.server.grpc.proto.ReportUsageRequest;
import io.headgate.server.grpc.proto.ReportUsageResponse;
import io.headgate.server.grpc.proto.ReserveRequest;
import io.headgate.server.grpc.proto.ReserveResponse;
import io.headgate.server.grpc.proto.SettleRequest;
import io.headgate.server.grpc.proto.SettleResponse;
import io.headgate.server.grpc.proto.UpdateRequest;
import io.headgate.server.grpc.proto.UpdateResponse;
import io.headgate.server.trace.Trace;
import io.headgate.server.trace.TraceParent;
import io.headgate.server.trace.Tracing;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.server.GrpcServerRequest;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

/**
 * Reserves, updates, settles and cancels reservations, and charges usage, on one event loop. The
 * operations are those of {@code /v1/reservations} and {@code /v1/usage} over HTTP. Not
 * thread-safe.
 *
 * <p>A call ends at its client's deadline. The operation may be applied nevertheless: a reservation
 * whose client has gone is cancelled, and all other operations can be repeated.
 */
final class ReservationService {
  static final String NAME = "headgate.v1.ReservationService";

  /** The trailer by which gRPC clients delay or, if it is negative, suppress their retries. */
  static final String PUSHBACK = "grpc-retry-pushback-ms";

  private final Vertx vertx;
  private final CheckService checkService;
  private final AccessControl access;
  private final Tracing tracing;
  private final ArrivingCall arriving;

  ReservationService(
      Vertx vertx,
      CheckService checkService,
      AccessControl access,
      Tracing tracing,
      ArrivingCall arriving) {
    this.vertx = vertx;
    this.checkService = checkService;
    this.access = access;
    this.tracing = tracing;
    this.arriving = arriving;
  }

  void reserve(GrpcServerRequest<Buffer, ReserveResponse> call) {
    receive(
        call,
        ReserveRequest.parser(),
        (message, reply) -> {
          var request = ReservationRequests.request(message.getSubjectMap(), message.getCosts());
          var ttl = ReservationRequests.ttl(message.getTtlMs());
          var unused = checkService.costs().unused(request, false);
          checkService.reserve(
              reply, request, ttl, reservation -> reserved(call, reply, reservation, unused));
        });
  }

  private static void reserved(
      GrpcServerRequest<Buffer, ReserveResponse> call,
      GrpcReply<ReserveResponse> reply,
      Reservation reservation,
      List<String> unspent) {
    if (reservation.id().isEmpty()) {
      deny(call, reply, reservation.result());
    } else if (reply.isEnded()) {
      // The client never learns the id. If this fails, the reservation expires.
      var unused = reservation.cancelAsync();
    } else {
      reply.send(ReservationResponses.reserved(reservation, unspent));
    }
  }

  private static void deny(
      GrpcServerRequest<Buffer, ReserveResponse> call,
      GrpcReply<ReserveResponse> reply,
      CheckResult result) {
    if (reply.isEnded()) return;
    var decision = result.decision();
    var trailers = call.response().trailers();
    if (decision instanceof Decision.Denied denied && !denied.isEndless()) {
      long millis = RoundedTimes.millis(RoundedTimes.micros(denied.retryAfter()));
      trailers.set(PUSHBACK, Long.toString(millis));
      fail(reply, result, "is exceeded; retry after %d ms".formatted(millis));
      return;
    }
    trailers.set(PUSHBACK, "-1");
    if (decision instanceof Decision.Impossible impossible) {
      fail(
          reply,
          result,
          "lets one reservation hold at most %d permits, and the estimate is %d; reserve less"
              .formatted(impossible.capacity(), impossible.cost()));
    } else {
      fail(reply, result, "denies every request");
    }
  }

  private static void fail(GrpcReply<?> reply, CheckResult result, String what) {
    String names = String.join(", ", result.violated());
    reply.fail(GrpcStatus.RESOURCE_EXHAUSTED, "limit '%s' %s".formatted(names, what));
  }

  void update(GrpcServerRequest<Buffer, UpdateResponse> call) {
    receive(
        call,
        UpdateRequest.parser(),
        (message, reply) -> {
          String id = ReservationRequests.id(message.getId());
          var used = ReservationRequests.reported("used", message.getUsed());
          var more = ReservationRequests.costs("more", message.getMore());
          var ttl = ReservationRequests.ttl(message.getTtlMs());
          checkService.reservation(
              reply,
              all -> all.updateAsync(id, used, more, ttl),
              known(id, state -> reply.send(ReservationResponses.updated(state, used))));
        });
  }

  void settle(GrpcServerRequest<Buffer, SettleResponse> call) {
    receive(
        call,
        SettleRequest.parser(),
        (message, reply) -> {
          String id = ReservationRequests.id(message.getId());
          var actual = ReservationRequests.reported("actual", message.getActual());
          checkService.reservation(
              reply,
              all -> all.settleAsync(id, actual),
              known(id, state -> reply.send(ReservationResponses.settled(state, actual))));
        });
  }

  void cancel(GrpcServerRequest<Buffer, CancelResponse> call) {
    receive(
        call,
        CancelRequest.parser(),
        (message, reply) -> {
          String id = ReservationRequests.id(message.getId());
          checkService.reservation(
              reply,
              all -> all.cancelAsync(id),
              known(id, state -> reply.send(ReservationResponses.cancelled(state))));
        });
  }

  void reportUsage(GrpcServerRequest<Buffer, ReportUsageResponse> call) {
    receive(
        Role.USAGE,
        call,
        ReportUsageRequest.parser(),
        (message, reply) -> {
          var request = ReservationRequests.request(message.getSubjectMap(), message.getCosts());
          var unused = checkService.costs().unused(request, false);
          checkService.charge(
              reply, request, result -> reply.send(ReservationResponses.charged(result, unused)));
        });
  }

  private static Consumer<ReservationState> known(String id, Consumer<ReservationState> then) {
    return state -> {
      if (state instanceof ReservationState.Unknown(var reason)) {
        throw new GrpcException(
            GrpcStatus.NOT_FOUND,
            "there is no reservation '%s': %s".formatted(TextSyntax.excerpt(id), reason));
      }
      then.accept(state);
    };
  }

  /** Authorizes a call, and passes its message on; fails it at the deadline of its client. */
  private <M, A> void receive(
      GrpcServerRequest<Buffer, A> call, Parser<M> parser, BiConsumer<M, GrpcReply<A>> handler) {
    receive(Role.CHECK, call, parser, handler);
  }

  private <M, A> void receive(
      Role role,
      GrpcServerRequest<Buffer, A> call,
      Parser<M> parser,
      BiConsumer<M, GrpcReply<A>> handler) {
    var refusal =
        access.denial(role, call.headers().get(HttpHeaders.AUTHORIZATION), call.connection());
    var trace = tracing.isOn() && refusal.isEmpty() ? startTrace(call) : Trace.NONE;
    var reply = new GrpcReply<>(call, trace, arriving.request());
    if (refusal.isPresent()) {
      boolean unauthenticated = refusal.get().status() == 401;
      reply.fail(
          unauthenticated ? GrpcStatus.UNAUTHENTICATED : GrpcStatus.PERMISSION_DENIED,
          refusal.get().reason());
      return;
    }
    reply.receiveOne(
        parser,
        message -> {
          handler.accept(message, reply);
          if (!reply.isEnded() && call.timeout() > 0) failAtDeadline(call.timeout(), reply);
        });
  }

  private void failAtDeadline(long millis, GrpcReply<?> reply) {
    long timer =
        vertx.setTimer(
            millis,
            fired ->
                reply.fail(
                    GrpcStatus.DEADLINE_EXCEEDED,
                    "the store did not answer within the deadline of the call; a settlement can be"
                        + " repeated and is charged once"));
    reply.onEnd(() -> vertx.cancelTimer(timer));
  }

  private Trace startTrace(GrpcServerRequest<?, ?> call) {
    return tracing.call(call.fullMethodName(), TraceParent.of(call.headers()::getAll));
  }
}
