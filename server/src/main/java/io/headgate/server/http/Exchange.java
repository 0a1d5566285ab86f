package io.headgate.server.http;

import io.headgate.server.trace.Parent;
import io.headgate.server.trace.Trace;
import io.headgate.server.trace.Tracing;
import io.headgate.store.StoreException;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One request, from its head to its answer. Also a request that is refused is received to its end,
 * within reason, so that its connection can go on.
 */
final class Exchange implements Receiving {
  private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);
  private static final long LINGER_MILLIS = 500;
  private static final long NO_ERROR = 0; // of HTTP/2

  /** A slot that is not released ends by itself, and a reset can be asked for again. */
  private static final Problem STORE_AWAY =
      Problem.of(
              503,
              "the store can't be asked right now, and only it can do this; ask again in a second"
                  + " (a lease that is not released ends by itself)")
          .with("Retry-After", "1");

  private final HttpServerRequest request;
  private final HttpServerResponse response;
  private final Vertx vertx;
  private final Connections connections;
  private final Readiness readiness;
  private final Tracing tracing;
  private final Body body = new Body();
  private Trace trace = Trace.NONE;
  private @Nullable Route route;
  private @Nullable Problem refusal;
  private boolean complete;
  private boolean answered;
  private boolean counted;

  Exchange(
      HttpServerRequest request,
      Vertx vertx,
      Connections connections,
      Readiness readiness,
      Tracing tracing) {
    this.request = request;
    this.response = request.response();
    this.vertx = vertx;
    this.connections = connections;
    this.readiness = readiness;
    this.tracing = tracing;
  }

  void receive(Routes routes, Access access) {
    counted = true;
    connections.begun(request.connection());
    connections.receives(this);
    try {
      route = routes.find(request.method(), path());
      access.require(
          route.role(), request.getHeader(HttpHeaders.AUTHORIZATION), request.connection());
      if (access.isUnguarded()) SameSite.require(route.role(), request);
      // Not before: who may not ask is not to fill anybody's traces either.
      if (tracing.isOn() && route.isTraced()) trace = followed(route);
      if (route.takesBody()) Body.requireReadable(request, route);
    } catch (Refusal e) {
      refusal = e.problem();
    }
    long announced = Body.announced(request);
    if (Body.isEndless(announced)) {
      refuse(refusal == null ? tooLong() : refusal);
    } else {
      String expected = request.getHeader(HttpHeaders.EXPECT);
      if (expected != null) answerExpectation(expected, announced);
    }
    request.handler(this::take).endHandler(end -> complete()).exceptionHandler(this::broken);
  }

  private Trace followed(Route found) {
    var headers = request.headers();
    return tracing.request(
        request.method().name(),
        found.traced(),
        Parent.of(headers.getAll(Parent.TRACEPARENT), headers.getAll(Parent.TRACESTATE)));
  }

  /** What is told of this request to those who follow it. */
  Trace trace() {
    return trace;
  }

  /** The last part of the path, where the route leaves it open. */
  String lastSegment() {
    String path = path();
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /** Part {@code index} of the path, from 0, with its percent signs resolved. */
  String segment(int index) {
    var segments = path().substring(1).split("/", -1);
    return Percent.decode("the path", segments[index]);
  }

  Query query(Set<String> known) {
    return Query.of(request.query(), known);
  }

  Optional<String> asked(CharSequence header) {
    return Optional.ofNullable(request.getHeader(header));
  }

  MultiMap headers() {
    return request.headers();
  }

  /** Who is at the other end of the connection. */
  Address peer() {
    return Address.of(request.connection());
  }

  private String path() {
    String path = request.path();
    return path == null ? "" : path;
  }

  boolean acceptsProblem() {
    return MediaTypes.acceptsProblem(request.getHeader(HttpHeaders.ACCEPT));
  }

  Exchange header(CharSequence name, CharSequence value) {
    response.putHeader(name, value);
    return this;
  }

  void answer(int status, CharSequence mediaType, JsonOut json) {
    if (!isOver()) answer(status, mediaType, Buffer.buffer(json.toString()));
  }

  void answer(int status, CharSequence mediaType, Buffer bytes) {
    if (isOver()) return;
    response.setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, mediaType);
    PageHeaders.put(response, mediaType);
    if (request.method().equals(HttpMethod.HEAD)) {
      response.putHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(bytes.length()));
      finish(Buffer.buffer());
    } else {
      finish(bytes);
    }
  }

  void answer(Problem problem) {
    problem.headers().forEach(response::putHeader);
    answer(problem.status(), Problem.MEDIA_TYPE, problem.json());
  }

  void end(int status) {
    if (isOver()) return;
    response.setStatusCode(status);
    finish(Buffer.buffer());
  }

  /**
   * Answers bit by bit from now on. Its connection is busy until that ends, so nobody takes it for
   * silent.
   *
   * @param over is run once it has ended
   * @return nothing if there is nobody to read it
   */
  Optional<EventStream> stream(String mediaType, Runnable over) {
    if (isOver()) {
      over.run();
      return Optional.empty();
    }
    header(HttpHeaders.CACHE_CONTROL, "no-store").header("X-Accel-Buffering", "no");
    if (request.method().equals(HttpMethod.HEAD)) {
      over.run();
      answer(200, mediaType, Buffer.buffer());
      return Optional.empty();
    }
    answered = true;
    response.setStatusCode(200).setChunked(true).putHeader(HttpHeaders.CONTENT_TYPE, mediaType);
    PageHeaders.put(response, mediaType);
    var stream = new EventStream(request, vertx.getOrCreateContext());
    response.closeHandler(closed -> stream.gone());
    stream.whenOver(() -> {
      leave();
      over.run();
    });
    return Optional.of(stream);
  }

  /**
   * Answers later, without a thread that waits.
   *
   * @param gone what to do instead if the client does not stay so long
   */
  void later(long millis, Runnable then, Runnable gone) {
    long timer = vertx.setTimer(millis, fired -> guarded(then));
    response.closeHandler(closed -> {
      if (answered || !vertx.cancelTimer(timer)) return;
      leave();
      guarded(gone);
    });
  }

  /**
   * Goes on when the stage has ended: at once if it has, else on the event loop that this request
   * came on, whichever thread ends it.
   */
  <T> void when(CompletionStage<T> stage, Consumer<T> then) {
    var future = stage.toCompletableFuture();
    if (future.isDone()) {
      then.accept(resultOf(future));
      return;
    }
    var context = vertx.getOrCreateContext();
    var unused =
        future.whenComplete((value, problem) ->
            context.runOnContext(woken -> guarded(() -> then.accept(resultOf(future)))));
  }

  private static <T> T resultOf(CompletableFuture<T> ended) {
    try {
      return ended.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  /** Whether nobody is there any more to be answered. */
  boolean isGone() {
    return isOver();
  }

  private boolean isOver() {
    if (!answered && !response.closed()) return false;
    leave();
    return true;
  }

  private void finish(Buffer bytes) {
    answered = true;
    leave();
    if (complete && !readiness.isStopping()) {
      response.end(bytes);
      return;
    }
    if (request.version() == HttpVersion.HTTP_2) {
      finishStream(bytes);
      return;
    }
    response.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    var sent = response.end(bytes);
    var connection = request.connection();
    if (complete) {
      sent.onComplete(done -> connection.close());
    } else {
      // Closing on a client that still sends would take the answer away from it.
      vertx.setTimer(LINGER_MILLIS, fired -> connection.close());
    }
  }

  /** The connection is nobody's business any more as far as this request goes. */
  private void leave() {
    if (!counted) return;
    counted = false;
    if (answered) trace.answered(response.getStatusCode());
    else trace.gone();
    connections.received(this);
    connections.ended(request.connection());
  }

  /** The body takes too long to come. */
  @Override
  public void tooSlow() {
    if (isOver()) return;
    refuse(Problem.of(408, "body", "the body did not come in time; send it at once"));
  }

  /** The other streams of the connection go on, and the client learns if they are the last. */
  private void finishStream(Buffer bytes) {
    var sent = response.end(bytes);
    if (!complete) sent.onComplete(done -> response.reset(NO_ERROR));
    if (readiness.isStopping()) request.connection().goAway(NO_ERROR);
  }

  private void take(Buffer chunk) {
    body.take(chunk, !answered && refusal == null, longestBody());
    if (!answered && body.isEndless()) refuse(refusal == null ? tooLong() : refusal);
  }

  private void complete() {
    complete = true;
    connections.received(this);
    if (answered) return;
    guarded(() -> {
      if (refusal != null) throw new Refusal(refusal);
      if (route == null) throw new IllegalStateException("no route and no refusal");
      route.call().answer(this, body.bytes(route));
    });
  }

  /** Whatever goes wrong, the client gets an answer. */
  private void guarded(Runnable work) {
    try {
      work.run();
    } catch (Refusal e) {
      answer(e.problem());
    } catch (StoreException e) {
      LOG.debug("the store could not be asked", e);
      answer(STORE_AWAY);
    } catch (Throwable e) {
      String id = UUID.randomUUID().toString();
      LOG.error("request failed, id {}", id, e);
      answer(Problem.of(500, "something went wrong here; the service's log says more, id " + id));
    }
  }

  /** Refuses a request whose rest will not be read. */
  private void refuse(Problem problem) {
    body.drop();
    answer(problem);
  }

  /** Vert.x closes what it can't read on with, and only closing it first lets the answer out. */
  private void broken(Throwable cause) {
    if (complete || isOver()) return;
    if (request.version() == HttpVersion.HTTP_2) {
      leave(); // the stream is gone, and the others of its connection are not to go with it
      return;
    }
    refuse(Problem.of(400, "body", "the body is not framed as HTTP/1.1 wants it"));
    request.connection().close();
  }

  private void answerExpectation(String expected, long announced) {
    boolean tooLong = route != null && route.takesBody() && announced > route.longestBody();
    if (refusal != null) refuse(refusal);
    else if (!expected.equalsIgnoreCase("100-continue")) refuse(unexpected(expected));
    else if (tooLong) refuse(tooLong());
    else response.writeContinue();
  }

  private static Problem unexpected(String expected) {
    return Problem.of(
        417,
        "Expect",
        "Expect can be 100-continue and nothing else, got '%s'".formatted(Texts.shown(expected)));
  }

  private Problem tooLong() {
    return Body.tooLong(longestBody());
  }

  private int longestBody() {
    return route == null ? Route.NO_BODY : route.longestBody();
  }
}
