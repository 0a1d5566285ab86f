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
 * One request, from its head to its answer. Also a request that is refused is received to its end,
 * within reason, so that its connection can go on.
 */
public final class Exchange implements BodyReceiver {
  private static final Logger LOG = LoggerFactory.getLogger(Exchange.class);
  private static final long LINGER_MILLIS = 500;
  private static final long NO_ERROR = 0; // of HTTP/2
  private static final long REFUSED_STREAM = 7;
  private static final long CANCEL = 8;

  /** What a stream of HTTP/2 takes in memory, with a short body and a short answer. */
  static final long STREAM = 8 * 1024;

  /** So much of a body or an answer is not counted: it goes with the stream or the connection. */
  static final long UNCOUNTED = 4 * 1024;

  /** Answers as long as this are counted, and waited for, also over HTTP/1.1. */
  private static final int LONG_ANSWER = 16 * 1024;

  private static final ProblemDocument BUSY =
      ProblemDocument.of(
              503,
              "the requests that are under way take all the memory there is for them; try again"
                  + " in a second")
          .with("Retry-After", "1");

  /** A slot that is not released ends by itself, and a reset can be asked for again. */
  private static final ProblemDocument STORE_AWAY =
      ProblemDocument.of(
              503,
              "the store can't be asked right now, and only it can do this; ask again in a second"
                  + " (a lease that is not released ends by itself)")
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
  private MemoryReservation hold;
  private Runnable whenGone = () -> {};
  private long headWeight;
  private boolean complete;
  private boolean answered;
  private boolean sending;
  private boolean counted;

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
    this.hold = new MemoryReservation(connections, null);
  }

  public void receive(Routes routes, AccessControl access) {
    counted = true;
    connection = connections.begun(request.connection());
    hold = new MemoryReservation(connections, connection);
    headWeight = connection == null ? 0 : headWeight(connection);
    if (isHttp2()) response.closeHandler(closed -> closed());
    if (!hold.resize(headWeight)) {
      turnAway();
      return;
    }
    connections.receives(this);
    try {
      route = routes.find(request.method(), path());
      access.require(
          route.role(), request.getHeader(HttpHeaders.AUTHORIZATION), request.connection());
      if (access.isUnguarded()) CrossSiteGuard.require(route.role(), request);
      // Not before: who may not ask is not to fill anybody's traces either.
      if (tracing.isOn() && route.isTraced()) trace = followed(route);
      if (route.takesBody()) RequestBody.requireReadable(request, route);
    } catch (ProblemException e) {
      refusal = e.problem();
    }
    long announced = RequestBody.announced(request);
    if (RequestBody.isEndless(announced)) {
      refuse(refusal == null ? tooLong() : refusal);
    } else {
      String expected = request.getHeader(HttpHeaders.EXPECT);
      if (expected != null) answerExpectation(expected, announced);
    }
    request.handler(this::take).endHandler(end -> complete()).exceptionHandler(this::broken);
  }

  /** The memory of the request as long as it is open, without its body and its answer. */
  private long headWeight(ConnectionState open) {
    if (isHttp2()) return STREAM + open.headWeight;
    // One of HTTP/1.1 goes with its connection, unless it is a large one.
    long weight = open.headBytes <= UNCOUNTED ? 0 : fieldsWeight();
    open.headBytes = 0;
    return weight <= UNCOUNTED ? 0 : weight;
  }

  private long fieldsWeight() {
    long weight = 0;
    for (var field : request.headers()) {
      weight += HeaderSizeMeter.FIELD + field.getKey().length() + field.getValue().length();
    }
    return weight;
  }

  /** Refuses a request for which there is no memory, before anything is done with it. */
  private void turnAway() {
    if (isHttp2()) {
      response.reset(REFUSED_STREAM); // an answer would take memory as well
      leave();
    } else {
      refuse(BUSY);
    }
  }

  private boolean isHttp2() {
    return request.version() == HttpVersion.HTTP_2;
  }

  private Trace followed(Route found) {
    var headers = request.headers();
    return tracing.request(
        request.method().name(),
        found.traced(),
        TraceParent.of(
            headers.getAll(TraceParent.TRACEPARENT), headers.getAll(TraceParent.TRACESTATE)));
  }

  /** What is told of this request to those who follow it. */
  public Trace trace() {
    return trace;
  }

  /** The last part of the path, where the route leaves it open. */
  public String lastSegment() {
    String path = path();
    return path.substring(path.lastIndexOf('/') + 1);
  }

  /** Part {@code index} of the path, from 0, with its percent signs resolved. */
  public String segment(int index) {
    var segments = path().substring(1).split("/", -1);
    return PercentDecoder.decode("the path", segments[index]);
  }

  public QueryString query(Set<String> known) {
    return QueryString.of(request.query(), known);
  }

  public Optional<String> asked(CharSequence header) {
    return Optional.ofNullable(request.getHeader(header));
  }

  public MultiMap headers() {
    return request.headers();
  }

  /** Who is at the other end of the connection. */
  public ClientAddress peer() {
    return ClientAddress.of(request.connection());
  }

  private String path() {
    String path = request.path();
    return path == null ? "" : path;
  }

  public boolean acceptsProblem() {
    return MediaTypes.acceptsProblem(request.getHeader(HttpHeaders.ACCEPT));
  }

  public Exchange header(CharSequence name, CharSequence value) {
    response.putHeader(name, value);
    return this;
  }

  public void answer(int status, CharSequence mediaType, JsonWriter json) {
    if (!isOver()) answer(status, mediaType, Buffer.buffer(json.toString()));
  }

  public void answer(int status, CharSequence mediaType, Buffer bytes) {
    answer(status, mediaType, bytes, bytes.length());
  }

  /** Answers with a constant body, which takes no memory of its own unless it is encrypted. */
  public void answer(int status, CharSequence mediaType, SharedBuffer bytes) {
    boolean copied = request.isSSL() && !isHttp2();
    answer(status, mediaType, bytes.buffer(), copied ? bytes.buffer().length() : 0);
  }

  private void answer(int status, CharSequence mediaType, Buffer bytes, long own) {
    if (isOver()) return;
    response.setStatusCode(status).putHeader(HttpHeaders.CONTENT_TYPE, mediaType);
    SecurityHeaders.put(response, mediaType);
    if (request.method().equals(HttpMethod.HEAD)) {
      response.putHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(bytes.length()));
      finish(Buffer.buffer(), 0);
    } else {
      finish(bytes, own);
    }
  }

  public void answer(ProblemDocument problem) {
    problem.headers().forEach(response::putHeader);
    answer(problem.status(), ProblemDocument.MEDIA_TYPE, problem.json());
  }

  public void end(int status) {
    if (isOver()) return;
    response.setStatusCode(status);
    finish(Buffer.buffer(), 0);
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
    SecurityHeaders.put(response, mediaType);
    var stream = new EventStream(request, vertx.getOrCreateContext());
    whenClosed(stream::gone);
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
  public void later(long millis, Runnable then, Runnable gone) {
    long timer = vertx.setTimer(millis, fired -> guarded(then));
    whenClosed(() -> {
      if (answered || !vertx.cancelTimer(timer)) return;
      leave();
      guarded(gone);
    });
  }

  private void whenClosed(Runnable then) {
    whenGone = then;
    if (!isHttp2()) response.closeHandler(closed -> closed());
  }

  /** The stream or the connection of this request has been closed, by either side. */
  private void closed() {
    whenGone.run();
    sent();
    if (!answered) leave();
  }

  /**
   * Goes on when the stage has ended: at once if it has, else on the event loop that this request
   * came on, whichever thread ends it.
   */
  public <T> void when(CompletionStage<T> stage, Consumer<T> then) {
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
  public boolean isGone() {
    return isOver();
  }

  private boolean isOver() {
    if (!answered && !response.closed()) return false;
    leave();
    return true;
  }

  /**
   * @param own the memory that the answer takes until it is sent
   */
  private void finish(Buffer bytes, long own) {
    answered = true;
    body.drop();
    boolean fits = hold.resize((isHttp2() ? headWeight : 0) + (own <= UNCOUNTED ? 0 : own));
    leave();
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
    if (bytes.length() >= LONG_ANSWER) {
      sending(bytes.length());
      sent.onComplete(done -> sent());
    } else {
      hold.end();
    }
    if (!last) return;
    var connection = request.connection();
    if (complete) {
      sent.onComplete(done -> connection.close());
    } else {
      // Closing on a client that still sends would take the answer away from it.
      vertx.setTimer(LINGER_MILLIS, fired -> connection.close());
    }
  }

  /** The client has to take the answer in time. */
  private void sending(long bytes) {
    sending = true;
    if (connection != null) connection.sending++;
    connections.sends(this, bytes);
  }

  private void sent() {
    hold.end();
    if (!sending) return;
    sending = false;
    if (connection != null) connection.sending--;
    connections.received(this);
  }

  /** The connection is nobody's business any more as far as this request goes. */
  private void leave() {
    if (!counted) return;
    counted = false;
    if (answered) trace.answered(response.getStatusCode());
    else trace.gone();
    connections.received(this);
    connections.ended(connection);
    if (!answered) hold.end();
  }

  /** The body takes too long to come, or the answer takes too long to be taken. */
  @Override
  public void tooSlow() {
    if (sending) {
      if (isHttp2()) response.reset(CANCEL);
      else if (connection != null) connection.cut();
      return;
    }
    if (isOver()) return;
    refuse(ProblemDocument.of(408, "body", "the body did not come in time; send it at once"));
  }

  /** The other streams of the connection go on. */
  private void finishStream(Buffer bytes) {
    var sent = response.end(bytes);
    if (!complete) sent.onComplete(done -> response.reset(NO_ERROR));
  }

  private void take(Buffer chunk) {
    body.take(chunk, !answered && refusal == null, longestBody());
    if (!answered && !hold.resize(headWeight + bodyWeight())) {
      refuse(BUSY);
      return;
    }
    if (!answered && body.isEndless()) refuse(refusal == null ? tooLong() : refusal);
  }

  /** Twice what has come, since the buffer doubles as it grows. */
  private long bodyWeight() {
    long kept = body.kept();
    return kept <= UNCOUNTED ? 0 : 2 * kept;
  }

  private void complete() {
    complete = true;
    connections.received(this);
    if (answered) return;
    guarded(() -> {
      if (refusal != null) throw new ProblemException(refusal);
      if (route == null) throw new IllegalStateException("no route and no refusal");
      route.call().answer(this, body.bytes(route));
    });
  }

  /** Whatever goes wrong, the client gets an answer. */
  private void guarded(Runnable work) {
    try {
      work.run();
    } catch (ProblemException e) {
      answer(e.problem());
    } catch (StoreException e) {
      LOG.debug("the store could not be asked", e);
      answer(STORE_AWAY);
    } catch (Throwable e) {
      String id = UUID.randomUUID().toString();
      LOG.error("request failed, id {}", id, e);
      answer(
          ProblemDocument.of(
              500, "something went wrong here; the service's log says more, id " + id));
    }
  }

  /** Refuses a request whose rest will not be read. */
  private void refuse(ProblemDocument problem) {
    body.drop();
    answer(problem);
  }

  /** Vert.x closes what it can't read on with, and only closing it first lets the answer out. */
  private void broken(Throwable cause) {
    if (complete || isOver()) return;
    if (isHttp2()) {
      leave(); // the stream is gone, and the others of its connection are not to go with it
      return;
    }
    refuse(ProblemDocument.of(400, "body", "the body is not framed as HTTP/1.1 wants it"));
    request.connection().close();
  }

  private void answerExpectation(String expected, long announced) {
    boolean tooLong = route != null && route.takesBody() && announced > route.longestBody();
    if (refusal != null) refuse(refusal);
    else if (!expected.equalsIgnoreCase("100-continue")) refuse(unexpected(expected));
    else if (tooLong) refuse(tooLong());
    else response.writeContinue();
  }

  private static ProblemDocument unexpected(String expected) {
    return ProblemDocument.of(
        417,
        "Expect",
        "Expect can be 100-continue and nothing else, got '%s'"
            .formatted(TextSyntax.shown(expected)));
  }

  private ProblemDocument tooLong() {
    return RequestBody.tooLong(longestBody());
  }

  private int longestBody() {
    return route == null ? Route.NO_BODY : route.longestBody();
  }
}
