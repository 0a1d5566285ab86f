package io.headgate.server.http.transport;

import io.headgate.server.api.AccessControl;
import io.headgate.server.api.ClientAddress;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.api.Readiness;
import io.headgate.server.api.TextSyntax;
import io.headgate.server.http.auth.CrossSiteGuard;
import io.headgate.server.http.protocol.MediaTypes;
import io.headgate.server.http.protocol.PercentDecoder;
import io.headgate.server.http.protocol.QueryString;
import io.headgate.server.trace.Trace;
import io.headgate.server.trace.TraceParent;
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
 * One request and its response. A rejected request is received to its end, up to a limit, so that
 * its connection can be reused. Confined to its event loop.
 */
public final class Exchange implements BodyReceiver {
  private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);
  private static final long LINGER_MILLIS = 500;
  private static final long NO_ERROR = 0; // HTTP/2 error codes
  private static final long REFUSED_STREAM = 7;
  private static final long CANCEL = 8;

  /** The memory of an HTTP/2 stream with a short body and a short response. */
  static final long STREAM_BYTES = 8 * 1024;

  /**
   * The length up to which a body or response is not counted: it is included in the memory of the
   * stream or connection.
   */
  static final long UNCOUNTED_BYTES = 4 * 1024;

  /** The length from which a response is counted, and has a deadline, over HTTP/1.1 as well. */
  private static final int LONG_RESPONSE_BYTES = 16 * 1024;

  private static final ProblemDocument BUSY =
      ProblemDocument.of(
              503, "the memory for requests in progress is used up; try again in a second")
          .with("Retry-After", "1");

  /**
   * The store is needed for releases and resets. A slot that is not released expires, and a reset
   * can be retried.
   */
  private static final ProblemDocument STORE_UNAVAILABLE =
      ProblemDocument.of(
              503,
              "the store is unavailable, and this operation needs it; try again in a second"
                  + " (a slot that is not released expires by itself)")
          .with("Retry-After", "1");

  private final HttpServerRequest request;
  private final HttpServerResponse response;
  private final Vertx vertx;
  private final ConnectionTracker connections;
  private final Readiness readiness;
  private final Tracing tracing;
  private final RequestBody body = new RequestBody();
  private Trace trace = Trace.NONE;
  private @Nullable Route route;
  private @Nullable ProblemDocument refusal;
  private @Nullable ConnectionState connection;
  private MemoryReservation reservation;
  private Runnable onClosed = () -> {};
  private long headWeight;
  private boolean complete;
  private boolean answered;
  private boolean sending;
  private boolean tracked;

  /**
   * @param connections tracks the connections of this event loop
   */
  public Exchange(
      HttpServerRequest request,
      Vertx vertx,
      ConnectionTracker connections,
      Readiness readiness,
      Tracing tracing) {
    this.request = request;
    this.response = request.response();
    this.vertx = vertx;
    this.connections = connections;
    this.readiness = readiness;
    this.tracing = tracing;
    this.reservation = new MemoryReservation(connections, null);
  }

  /**
   * Receives the request: authorizes it, routes it, and calls the handler when its body is
   * complete.
   */
  public void receive(Routes routes, AccessControl access) {
    tracked = true;
    connection = connections.requestStarted(request.connection());
    reservation = new MemoryReservation(connections, connection);
    headWeight = connection == null ? 0 : headWeight(connection);
    if (isHttp2()) response.closeHandler(closed -> closed());
    if (!reservation.resize(headWeight)) {
      rejectForMemory();
      return;
    }
    connections.awaitBody(this);
    try {
      route = routes.find(request.method(), path());
      access.require(
          route.role(), request.getHeader(HttpHeaders.AUTHORIZATION), request.connection());
      if (access.isUnguarded()) CrossSiteGuard.require(route.role(), request);
      // After authorization, so that unauthorized requests create no traces.
      if (tracing.isOn() && route.isTraced()) trace = startTrace(route);
      if (route.takesBody()) RequestBody.requireReadable(request, route);
    } catch (ProblemException e) {
      refusal = e.problem();
    }
    long announced = RequestBody.announced(request);
    if (RequestBody.isTooLongToDrain(announced)) {
      refuse(refusal == null ? tooLong() : refusal);
    } else {
      String expected = request.getHeader(HttpHeaders.EXPECT);
      if (expected != null) answerExpectation(expected, announced);
    }
    request
        .handler(this::receiveChunk)
        .endHandler(end -> complete())
        .exceptionHandler(this::onReadError);
  }

  /** Returns the memory of the open request without its body and response. */
  private long headWeight(ConnectionState open) {
    if (isHttp2()) return STREAM_BYTES + open.headWeight;
    // An HTTP/1.1 head is included in the memory of its connection unless it is large.
    long weight = open.headBytes <= UNCOUNTED_BYTES ? 0 : fieldsWeight();
    open.headBytes = 0;
    return weight <= UNCOUNTED_BYTES ? 0 : weight;
  }

  private long fieldsWeight() {
    long weight = 0;
    for (var field : request.headers()) {
      weight +=
          HeaderSizeMeter.BYTES_PER_FIELD + field.getKey().length() + field.getValue().length();
    }
    return weight;
  }

  /** Rejects a request for which there is no memory, before any processing. */
  private void rejectForMemory() {
    if (isHttp2()) {
      response.reset(REFUSED_STREAM); // a response would need memory as well
      endTracking();
    } else {
      refuse(BUSY);
    }
  }

  private boolean isHttp2() {
    return request.version() == HttpVersion.HTTP_2;
  }

  private Trace startTrace(Route found) {
    var headers = request.headers();
    return tracing.request(
        request.method().name(),
        found.traced(),
        TraceParent.of(
            headers.getAll(TraceParent.TRACEPARENT), headers.getAll(TraceParent.TRACESTATE)));
  }

  /** Returns the trace of this request; a no-op if it is not traced. */
  public Trace trace() {
    return trace;
  }

  /** Returns the last segment of the path, undecoded. */
  public String lastSegment() {
    String path = path();
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /** Returns segment {@code index} of the path, from 0, percent-decoded. */
  public String segment(int index) {
    var segments = path().substring(1).split("/", -1);
    return PercentDecoder.decode("the path", segments[index]);
  }

  /**
   * Parses the query string.
   *
   * @param known the parameters that the endpoint accepts
   */
  public QueryString query(Set<String> known) {
    return QueryString.of(request.query(), known);
  }

  /** Returns the first line of a request header. */
  public Optional<String> requestHeader(CharSequence header) {
    return Optional.ofNullable(request.getHeader(header));
  }

  /** Returns the request headers. */
  public MultiMap headers() {
    return request.headers();
  }

  /** Returns the address at the other end of the connection. */
  public ClientAddress peer() {
    return ClientAddress.of(request.connection());
  }

  private String path() {
    String path = request.path();
    return path == null ? "" : path;
  }

  /** Returns whether the client accepts problem documents explicitly. */
  public boolean acceptsProblem() {
    return MediaTypes.acceptsProblem(request.getHeader(HttpHeaders.ACCEPT));
  }

  /** Sets a response header. */
  public Exchange header(CharSequence name, CharSequence value) {
    response.putHeader(name, value);
    return this;
  }

  /**
   * Answers with JSON. Does nothing if the client has disconnected or an answer was sent before.
   */
  public void answer(int status, CharSequence mediaType, JsonWriter json) {
    if (!isFinished()) answer(status, mediaType, json.buffer());
  }

  /** Answers with a body. */
  public void answer(int status, CharSequence mediaType, Buffer bytes) {
    answer(status, mediaType, bytes, bytes.length());
  }

  /** Answers with a constant body, which needs no memory of its own unless it is encrypted. */
  public void answer(int status, CharSequence mediaType, SharedBuffer bytes) {
    boolean copied = request.isSSL() && !isHttp2();
    answer(status, mediaType, bytes.buffer(), copied ? bytes.buffer().length() : 0);
  }

  private void answer(int status, CharSequence mediaType, Buffer bytes, long own) {
    if (isFinished()) return;
    response.setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, mediaType);
    SecurityHeaders.put(response, mediaType);
    if (request.method().equals(HttpMethod.HEAD)) {
      response.putHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(bytes.length()));
      finish(Buffer.buffer(), 0);
    } else {
      finish(bytes, own);
    }
  }

  /** Answers with a problem document. */
  public void answer(ProblemDocument problem) {
    problem.headers().forEach(response::putHeader);
    answer(problem.status(), ProblemDocument.MEDIA_TYPE, problem.json());
  }

  /** Answers without a body. */
  public void end(int status) {
    if (isFinished()) return;
    response.setStatusCode(status);
    finish(Buffer.buffer(), 0);
  }

  /**
   * Begins a streamed response. Its connection does not count as idle until the stream ends.
   *
   * @param onEnd is run once the stream has ended
   * @return empty if the client has disconnected or sent HEAD
   */
  Optional<EventStream> stream(String mediaType, Runnable onEnd) {
    if (isFinished()) {
      onEnd.run();
      return Optional.empty();
    }
    header(HttpHeaders.CACHE_CONTROL, "no-store").header("X-Accel-Buffering", "no");
    if (request.method().equals(HttpMethod.HEAD)) {
      onEnd.run();
      answer(200, mediaType, Buffer.buffer());
      return Optional.empty();
    }
    answered = true;
    response.setStatusCode(200).setChunked(true).putHeader(HttpHeaders.CONTENT_TYPE, mediaType);
    SecurityHeaders.put(response, mediaType);
    var stream = new EventStream(request, vertx.getOrCreateContext());
    setOnClosed(stream::closed);
    stream.onEnd(() -> {
      endTracking();
      onEnd.run();
    });
    return Optional.of(stream);
  }

  /**
   * Runs a task on the event loop after a delay, without blocking a thread.
   *
   * @param closedFirst is run instead if the client disconnects before
   */
  public void runAfter(long millis, Runnable then, Runnable closedFirst) {
    long timer = vertx.setTimer(millis, fired -> runGuarded(then));
    setOnClosed(() -> {
      if (answered || !vertx.cancelTimer(timer)) return;
      endTracking();
      runGuarded(closedFirst);
    });
  }

  private void setOnClosed(Runnable then) {
    onClosed = then;
    if (!isHttp2()) response.closeHandler(closed -> closed());
  }

  /** Called when the stream or connection of this request has been closed by either side. */
  private void closed() {
    onClosed.run();
    sent();
    if (!answered) endTracking();
  }

  /**
   * Passes the result of a stage to {@code then}: at once if the stage is complete, otherwise on
   * the event loop of this request, whichever thread completes it. A failure is answered.
   */
  public <T> void whenComplete(CompletionStage<T> stage, Consumer<T> then) {
    var future = stage.toCompletableFuture();
    if (future.isDone()) {
      then.accept(resultOf(future));
      return;
    }
    var context = vertx.getOrCreateContext();
    var unused =
        future.whenComplete((value, problem) ->
            context.runOnContext(woken -> runGuarded(() -> then.accept(resultOf(future)))));
  }

  private static <T> T resultOf(CompletableFuture<T> ended) {
    try {
      return ended.join();
    } catch (CompletionException e) {
      throw e.getCause() instanceof RuntimeException cause ? cause : e;
    }
  }

  /** Returns whether the request is answered, or its client has disconnected. */
  public boolean isClosed() {
    return isFinished();
  }

  private boolean isFinished() {
    if (!answered && !response.closed()) return false;
    endTracking();
    return true;
  }

  /**
   * @param own the memory of the response until it is sent
   */
  private void finish(Buffer bytes, long own) {
    answered = true;
    body.drop();
    boolean fits =
        reservation.resize((isHttp2() ? headWeight : 0) + (own <= UNCOUNTED_BYTES ? 0 : own));
    endTracking();
    send(fits ? bytes : withoutBody());
  }

  private Buffer withoutBody() {
    response.headers().clear();
    response.setStatusCode(BUSY.status()).putHeader("Retry-After", "1");
    return Buffer.buffer();
  }

  private void send(Buffer bytes) {
    if (isHttp2()) {
      sending(bytes.length());
      finishStream(bytes);
      return;
    }
    boolean last = !complete || readiness.isStopping();
    if (last) response.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    var sent = response.end(bytes);
    if (bytes.length() >= LONG_RESPONSE_BYTES) {
      sending(bytes.length());
      sent.onComplete(done -> sent());
    } else {
      reservation.release();
    }
    if (!last) return;
    var connection = request.connection();
    if (complete) {
      sent.onComplete(done -> connection.close());
    } else {
      // Closing while the client still sends would reset the connection and lose the response.
      vertx.setTimer(LINGER_MILLIS, fired -> connection.close());
    }
  }

  /** Sets the deadline for the client to receive the response. */
  private void sending(long bytes) {
    sending = true;
    if (connection != null) connection.sending++;
    connections.awaitSent(this, bytes);
  }

  private void sent() {
    reservation.release();
    if (!sending) return;
    sending = false;
    if (connection != null) connection.sending--;
    connections.clearDeadline(this);
  }

  /** Ends the accounting of this request for its connection. */
  private void endTracking() {
    if (!tracked) return;
    tracked = false;
    if (answered) trace.answered(response.getStatusCode());
    else trace.clientDisconnected();
    connections.clearDeadline(this);
    connections.requestEnded(connection);
    if (!answered) reservation.release();
  }

  /** Called when the body does not arrive, or the response is not received, in time. */
  @Override
  public void onTimeout() {
    if (sending) {
      if (isHttp2()) response.reset(CANCEL);
      else if (connection != null) connection.cut();
      return;
    }
    if (isFinished()) return;
    refuse(
        ProblemDocument.of(408, "body", "the body did not arrive in time; send it without pauses"));
  }

  /**
   * Sends the response and, if the body is incomplete, resets the stream. Other streams are not
   * affected.
   */
  private void finishStream(Buffer bytes) {
    var sent = response.end(bytes);
    if (!complete) sent.onComplete(done -> response.reset(NO_ERROR));
  }

  private void receiveChunk(Buffer chunk) {
    body.append(chunk, !answered && refusal == null, maxBody());
    if (!answered && !reservation.resize(headWeight + bodyWeight())) {
      refuse(BUSY);
      return;
    }
    if (!answered && body.isTooLongToDrain()) refuse(refusal == null ? tooLong() : refusal);
  }

  /** Returns twice the length of the body so far, since the buffer doubles as it grows. */
  private long bodyWeight() {
    long kept = body.length();
    return kept <= UNCOUNTED_BYTES ? 0 : 2 * kept;
  }

  private void complete() {
    complete = true;
    connections.clearDeadline(this);
    if (answered) return;
    runGuarded(() -> {
      if (refusal != null) throw new ProblemException(refusal);
      if (route == null) throw new IllegalStateException("no route and no refusal");
      route.call().answer(this, body.bytes(route));
    });
  }

  /** Runs a task and answers with a problem document if it throws. */
  private void runGuarded(Runnable work) {
    try {
      work.run();
    } catch (ProblemException e) {
      answer(e.problem());
    } catch (StoreException e) {
      LOG.debug("the store is unavailable", e);
      answer(STORE_UNAVAILABLE);
    } catch (Throwable e) {
      String id = UUID.randomUUID().toString();
      LOG.error("request failed, id {}", id, e);
      answer(
          ProblemDocument.of(
              500, "internal error; the log of the service has the details under id " + id));
    }
  }

  /** Answers a request whose remaining body is not read. */
  private void refuse(ProblemDocument problem) {
    body.drop();
    answer(problem);
  }

  /**
   * Handles a body that can't be read. Vert.x closes the connection, and the response is only sent
   * if this closes it first.
   */
  private void onReadError(Throwable cause) {
    if (complete || isFinished()) return;
    if (isHttp2()) {
      endTracking(); // only this stream is closed, not the other ones of its connection
      return;
    }
    refuse(ProblemDocument.of(400, "body", "the framing of the body is not valid HTTP/1.1"));
    request.connection().close();
  }

  private void answerExpectation(String expected, long announced) {
    boolean tooLong = route != null && route.takesBody() && announced > route.maxBody();
    if (refusal != null) refuse(refusal);
    else if (!expected.equalsIgnoreCase("100-continue")) refuse(unexpected(expected));
    else if (tooLong) refuse(tooLong());
    else response.writeContinue();
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
