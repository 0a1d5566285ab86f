package io.headgate.server.http.transport;

import io.headgate.server.api.AccessControl;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.api.Readiness;
import io.headgate.server.api.Role;
import io.headgate.store.Budget;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/**
 * Publishes statistics and rule changes to the open event streams, of which there are at most
 * {@link #MAX_STREAMS}. Thread-safe.
 */
public final class EventStreams {
  /** The number of streams that may be open at once. */
  public static final int MAX_STREAMS = 64;

  private static final Buffer PREAMBLE = Buffer.buffer("retry: 2000\n\n");

  private final Readiness readiness;
  private final AccessControl access;
  private final Map<EventStream, Optional<String>> open =
      new ConcurrentHashMap<>(); // by its Authorization header
  private final Budget budget =
      new Budget("event_streams", MAX_STREAMS, "close dashboards, or poll GET /v1/stats instead");

  /**
   * @param access decides each second whether the token of a stream is still valid
   */
  public EventStreams(Readiness readiness, AccessControl access) {
    this.readiness = readiness;
    this.access = access;
    readiness.onStopping(() -> open.keySet().forEach(EventStream::endLast));
  }

  /** Returns the use of the streams and their refusals. */
  public Budget budget() {
    return budget;
  }

  /**
   * Opens a stream as the response. To be called on the event loop of the request.
   *
   * @throws ProblemException with status 503 if too many streams are open
   */
  public void open(Exchange exchange) {
    if (!budget.tryTake()) {
      throw new ProblemException(
          ProblemDocument.of(
                  503,
                  "%d streams are open, which is the maximum; close one, or poll"
                          .formatted(MAX_STREAMS)
                      + " GET /v1/stats instead")
              .with("Retry-After", "30"));
    }
    var stream = exchange.stream("text/event-stream", () -> budget.giveBack(1));
    if (stream.isEmpty()) return;
    var events = stream.get();
    open.put(events, exchange.requestHeader(HttpHeaders.AUTHORIZATION));
    events.onEnd(() -> open.remove(events));
    events.send(PREAMBLE);
    if (readiness.isStopping())
      events.endLast(); // stopping may have begun before this stream was registered
  }

  /**
   * Sends the statistics of a second to the streams whose token is still valid, and ends the
   * others. Each form of the statistics is only serialized if it is sent.
   *
   * @param whole for tokens of administrators
   * @param shown for other tokens; the same object if there is no difference
   */
  public void send(Supplier<String> whole, Supplier<String> shown) {
    Buffer wholeEvent = null;
    Buffer shownEvent = null;
    for (var entry : open.entrySet()) {
      var authorization = entry.getValue();
      if (!access.allows(Role.READ, authorization)) {
        entry.getKey().end();
      } else if (whole.equals(shown) || access.allows(Role.ADMIN, authorization)) {
        if (wholeEvent == null) wholeEvent = event("stats", whole.get());
        entry.getKey().send(wholeEvent);
      } else {
        if (shownEvent == null) shownEvent = event("stats", shown.get());
        entry.getKey().send(shownEvent);
      }
    }
  }

  /** Notifies the streams of a new revision of the rules. */
  public void rulesChanged(long revision) {
    if (open.isEmpty()) return;
    var json = new JsonWriter().begin().name("revision").value(revision).end();
    var event = event("rules", json.toString());
    open.keySet().forEach(stream -> stream.send(event));
  }

  /** Formats an event. The JSON has no line breaks, which would end the data. */
  private static Buffer event(String name, String json) {
    return Buffer.buffer("event: " + name + "\ndata: " + json + "\n\n");
  }
}
