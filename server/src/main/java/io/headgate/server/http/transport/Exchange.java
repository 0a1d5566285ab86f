package io.headgate.server.http.transport;

import io.headgate.http.ClientAddress;
import io.headgate.server.api.AccessControl;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.PeerAddress;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.api.Readiness;
import io.headgate.server.check.CallFailure;
import io.headgate.server.check.PendingCall;
import io.headgate.server.http.protocol.MediaTypes;
import io.headgate.server.http.protocol.PercentDecoder;
import io.headgate.server.http.protocol.QueryString;
import io.headgate.server.trace.Trace;
import io.headgate.server.trace.Tracing;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import java.util.Optional;
import java.util.Set;

/** One request and its response, as its handler sees them. Confined to its event loop. */
public final class Exchange implements PendingCall {
  private static final Set<String> STRICT = Set.of("strict");

  private final HttpServerRequest request;
  private final Vertx vertx;
  private final RequestTracking tracking;
  private final RequestBody body = new RequestBody();
  private final ResponseSender sender;

  /**
   * @param connections tracks the connections of this event loop
   */
  public Exchange(
      HttpServerRequest request, Vertx vertx, ConnectionTracker connections, Readiness readiness) {
    this.request = request;
    this.vertx = vertx;
    this.tracking = new RequestTracking(request, connections);
    this.sender = new ResponseSender(request, vertx, readiness, tracking, body);
  }

  /**
   * Receives the request: authorizes it, routes it, and calls the handler when its body is
   * complete.
   */
  public void receive(Routes routes, AccessControl access, Tracing tracing) {
    new RequestReceiver(request, this, tracking, body, sender).receive(routes, access, tracing);
  }

  @Override
  public Trace trace() {
    return tracking.trace();
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

  /**
   * Returns whether the query has {@code strict=true}, which endpoints of checks accept.
   *
   * @throws ProblemException with status 400 if it has another parameter
   */
  public boolean isStrict() {
    String query = request.query();
    return query != null && QueryString.of(query, STRICT).flag("strict");
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
    return PeerAddress.of(request.connection());
  }

  /** Returns the path, undecoded. */
  String path() {
    String path = request.path();
    return path == null ? "" : path;
  }

  /** Returns whether the client accepts problem documents explicitly. */
  public boolean acceptsProblem() {
    return MediaTypes.acceptsProblem(request.getHeader(HttpHeaders.ACCEPT));
  }

  /** Sets a response header. */
  public Exchange header(CharSequence name, CharSequence value) {
    request.response().putHeader(name, value);
    return this;
  }

  /** Adds a response header that is not set yet; cheaper than {@link #header}. */
  public void addHeader(CharSequence name, CharSequence value) {
    request.response().headers().add(name, value);
  }

  /**
   * Answers with JSON. Does nothing if the client has disconnected or an answer was sent before.
   */
  public void answer(int status, CharSequence mediaType, JsonWriter json) {
    answer(status, mediaType, json.buffer());
  }

  /** Answers with a body. */
  public void answer(int status, CharSequence mediaType, Buffer bytes) {
    sender.send(status, mediaType, bytes, bytes.length());
  }

  /** Answers with a constant body, which needs no memory of its own unless it is encrypted. */
  public void answer(int status, CharSequence mediaType, SharedBuffer bytes) {
    sender.send(status, mediaType, bytes);
  }

  /** Answers with a problem document. */
  public void answer(ProblemDocument problem) {
    problem.headers().forEach(request.response()::putHeader);
    answer(problem.status(), ProblemDocument.MEDIA_TYPE, problem.json());
  }

  /** Answers without a body. */
  public void end(int status) {
    sender.send(status);
  }

  /**
   * Begins a streamed response. Its connection does not count as idle until the stream ends.
   *
   * @param onEnd is run once the stream has ended
   * @return empty if the client has disconnected or sent HEAD
   */
  Optional<EventStream> stream(String mediaType, Runnable onEnd) {
    if (isClosed()) {
      onEnd.run();
      return Optional.empty();
    }
    header(HttpHeaders.CACHE_CONTROL, "no-store").header("X-Accel-Buffering", "no");
    if (request.method().equals(HttpMethod.HEAD)) {
      onEnd.run();
      answer(200, mediaType, Buffer.buffer());
      return Optional.empty();
    }
    sender.begin(200, mediaType);
    var stream = new EventStream(request, vertx.getOrCreateContext());
    sender.setOnClosed(stream::closed);
    stream.onEnd(() -> {
      tracking.streamEnded();
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
    sender.setOnClosed(() -> {
      if (sender.isAnswered() || !vertx.cancelTimer(timer)) return;
      tracking.end(false);
      runGuarded(closedFirst);
    });
  }

  /** Returns whether the request is answered, or its client has disconnected. */
  public boolean isClosed() {
    return sender.isFinished();
  }

  @Override
  public void waitBegins() {
    tracking.waitBegins();
  }

  @Override
  public void waitEnds() {
    tracking.waitEnds();
  }

  @Override
  public void runGuarded(Runnable task) {
    try {
      task.run();
    } catch (ProblemException e) {
      answer(e.problem());
    } catch (Throwable e) {
      answer(problem(CallFailure.of(e)));
    }
  }

  private static ProblemDocument problem(CallFailure failure) {
    return switch (failure.kind()) {
      case STORE_UNAVAILABLE -> ProblemDocument.of(503, failure.message()).with("Retry-After", "1");
      case INVALID_COST -> ProblemDocument.of(400, "costs", failure.message());
      case INTERNAL -> ProblemDocument.of(500, failure.message());
    };
  }
}
