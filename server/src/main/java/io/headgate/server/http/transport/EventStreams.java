package io.headgate.server.http.transport;

import io.headgate.server.api.AccessControl;
import io.headgate.server.api.JsonWriter;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import io.headgate.server.api.Readiness;
import io.headgate.server.api.Role;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Those who are told what happens as it happens. */
public final class EventStreams {
  public static final int MOST = 64;

  private static final Buffer FIRST = Buffer.buffer("retry: 2000\n\n");

  private final Readiness readiness;
  private final AccessControl access;
  private final Map<EventStream, Optional<String>> open = new ConcurrentHashMap<>(); // who asked
  private final AtomicInteger places = new AtomicInteger(MOST);

  public EventStreams(Readiness readiness, AccessControl access) {
    this.readiness = readiness;
    this.access = access;
    readiness.whenStopping(() -> open.keySet().forEach(EventStream::endLast));
  }

  /** To be called on the event loop of the request. */
  public void open(Exchange exchange) {
    if (places.decrementAndGet() < 0) {
      places.incrementAndGet();
      throw new ProblemException(
          ProblemDocument.of(
                  503,
                  "%d streams are open, which is as many as there may be; close one, or ask"
                          .formatted(MOST)
                      + " GET /v1/stats now and then")
              .with("Retry-After", "30"));
    }
    var stream = exchange.stream("text/event-stream", places::incrementAndGet);
    if (stream.isEmpty()) return;
    var events = stream.get();
    open.put(events, exchange.asked(HttpHeaders.AUTHORIZATION));
    events.whenOver(() -> open.remove(events));
    events.send(FIRST);
    if (readiness.isStopping()) events.endLast(); // it may have been told before this one was there
  }

  /**
   * A second has ended. What to tell is written only if somebody is there to read it, and told to
   * those whose token is still good.
   */
  public void send(Supplier<String> stats) {
    if (open.isEmpty()) return;
    var event = event("stats", stats.get());
    open.forEach((stream, authorization) -> {
      if (access.allows(Role.READ, authorization)) stream.send(event);
      else stream.end();
    });
  }

  public void rulesChanged(long revision) {
    if (open.isEmpty()) return;
    var json = new JsonWriter().begin().name("revision").value(revision).end();
    var event = event("rules", json.toString());
    open.keySet().forEach(stream -> stream.send(event));
  }

  /** JSON as it is written here has no line breaks, which would end the data. */
  private static Buffer event(String name, String json) {
    return Buffer.buffer("event: " + name + "\ndata: " + json + "\n\n");
  }
}
