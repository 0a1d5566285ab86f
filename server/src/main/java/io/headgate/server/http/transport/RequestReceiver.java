package io.headgate.server.http.transport;

import io.headgate.http.TextSyntax;
import io.headgate.server.api.AccessControl;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.http.auth.CrossSiteGuard;
import io.headgate.server.trace.Trace;
import io.headgate.server.trace.TraceParent;
import io.headgate.server.trace.Tracing;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import org.jspecify.annotations.Nullable;

/**
 * Receives one request: authorizes it, routes it, and calls its handler when the body is complete.
 * A rejected request is received to its end, up to a limit, so that its connection can be reused.
 * Confined to its event loop.
 */
final class RequestReceiver {
  private final HttpServerRequest request;
  private final Exchange exchange;
  private final RequestTracking tracking;
  private final RequestBody body;
  private final ResponseSender sender;
  private @Nullable Route route;
  private @Nullable ProblemDocument refusal;
  private boolean handled;

  /**
   * @param exchange is passed to the handler
   */
  RequestReceiver(
      HttpServerRequest request,
      Exchange exchange,
      RequestTracking tracking,
      RequestBody body,
      ResponseSender sender) {
    this.request = request;
    this.exchange = exchange;
    this.tracking = tracking;
    this.body = body;
    this.sender = sender;
  }

  void receive(Routes routes, AccessControl access, Tracing tracing) {
    boolean fits = tracking.begin(this::onBodyTimeout);
    sender.observeClose();
    if (!fits) {
      if (isHttp2()) sender.refuseStream();
      else refuse(ResponseSender.BUSY);
      return;
    }
    tracking.awaitBody();
    try {
      var found = routes.find(request.method(), exchange.path());
      route = found;
      access.require(
          found.role(), request.getHeader(HttpHeaders.AUTHORIZATION), request.connection());
      if (access.isUnguarded()) CrossSiteGuard.require(found.role(), request);
      // After authorization, so that unauthorized requests create no traces.
      if (tracing.isOn() && found.isTraced()) tracking.setTrace(startTrace(tracing, found));
      if (found.takesBody()) RequestBody.requireReadable(request, found);
    } catch (ProblemException e) {
      refusal = e.problem();
    }
    long announced = RequestBody.announced(request);
    if (RequestBody.isTooLongToDrain(announced) || isTunnel()) {
      abandonBody();
    } else {
      String expected = request.getHeader(HttpHeaders.EXPECT);
      if (expected != null) answerExpectation(expected, announced);
    }
    request
        .handler(this::receiveChunk)
        .endHandler(end -> complete())
        .exceptionHandler(this::onReadError);
  }

  private boolean isHttp2() {
    return request.version() == HttpVersion.HTTP_2;
  }

  /** Returns whether the stream of this request ends only when the client closes it. */
  private boolean isTunnel() {
    return isHttp2() && request.method().equals(HttpMethod.CONNECT);
  }

  private Trace startTrace(Tracing tracing, Route found) {
    return tracing.request(
        request.method().name(), found.traced(), TraceParent.of(request.headers()::getAll));
  }

  private void receiveChunk(Buffer chunk) {
    boolean answered = handled || sender.isAnswered();
    body.append(chunk, !answered && refusal == null, maxBody());
    if (answered) return;
    if (!tracking.reserveBody(body.length())) refuse(ResponseSender.BUSY);
    else if (body.isTooLongToDrain()) abandonBody();
  }

  /**
   * Answers a request whose body is too long to be read to its end. A route that ignores bodies
   * handles the request nevertheless: an error instead of a decision would let it pass a proxy that
   * fails open.
   */
  private void abandonBody() {
    if (refusal != null) refuse(refusal);
    else if (route == null || route.takesBody()) refuse(tooLong());
    else handle();
  }

  private void complete() {
    sender.bodyCompleted();
    if (sender.isAnswered()) tracking.bodyReceived();
    else if (!handled) handle();
  }

  private void handle() {
    handled = true;
    tracking.bodyReceived();
    exchange.runGuarded(() -> {
      if (refusal != null) throw new ProblemException(refusal);
      if (route == null) throw new IllegalStateException("no route and no refusal");
      route.call().answer(exchange, body.bytes(route));
    });
  }

  private void onBodyTimeout() {
    if (sender.isFinished()) return;
    refuse(
        ProblemDocument.of(408, "body", "the body did not arrive in time; send it without pauses"));
  }

  /**
   * Handles a body that can't be read. Vert.x closes the connection, and the response is only sent
   * if this closes it first.
   */
  private void onReadError(Throwable cause) {
    if (sender.isBodyComplete() || sender.isFinished()) return;
    if (isHttp2()) {
      tracking.end(false); // only this stream is closed, not the other ones of its connection
      return;
    }
    refuse(ProblemDocument.of(400, "body", "the framing of the body is not valid HTTP/1.1"));
    request.connection().close();
  }

  private void answerExpectation(String expected, long announced) {
    boolean takesBody = route != null && route.takesBody();
    if (refusal != null) refuse(refusal);
    else if (expected.equalsIgnoreCase("100-continue")) {
      if (takesBody && announced > maxBody()) refuse(tooLong());
      else request.response().writeContinue();
    } else if (takesBody) {
      refuse(unexpected(expected));
    } // else ignored, since an error would let the request pass a proxy that fails open
  }

  /** Answers a request whose remaining body is not read. */
  private void refuse(ProblemDocument problem) {
    body.drop();
    exchange.answer(problem);
  }

  private static ProblemDocument unexpected(String expected) {
    return ProblemDocument.of(
        417,
        "Expect",
        "Expect must be 100-continue, got '%s'".formatted(TextSyntax.excerpt(expected)));
  }

  private ProblemDocument tooLong() {
    return RequestBody.tooLong(maxBody());
  }

  private int maxBody() {
    return route == null ? Route.NO_BODY : route.maxBody();
  }
}
