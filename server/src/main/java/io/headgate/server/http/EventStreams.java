package io.headgate.server.http;

import io.vertx.core.buffer.Buffer;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Those who are told what happens as it happens. */
final class EventStreams {
  static final int MOST = 64;
  static final int HEARTBEAT_SECONDS = 15;

  private static final Buffer FIRST = Buffer.buffer("retry: 2000\n\n");
  private static final Buffer HEARTBEAT = Buffer.buffer(": still here\n\n");

  private final Readiness readiness;
  private final Set<EventStream> open = ConcurrentHashMap.newKeySet();
  private final AtomicInteger places = new AtomicInteger(MOST);
  private int seconds; // by the thread that counts them

  EventStreams(Readiness readiness) {
    this.readiness = readiness;
    readiness.whenStopping(() -> open.forEach(EventStream::end));
  }

  /** To be called on the event loop of the request. */
  void open(Exchange exchange) {
    if (places.decrementAndGet() < 0) {
      places.incrementAndGet();
      throw new Refusal(
          Problem.of(
                  503,
                  "%d streams are open, which is as many as there may be; close one, or ask"
                          .formatted(MOST)
                      + " GET /v1/stats now and then")
              .with("Retry-After", "30"));
    }
    var stream = exchange.stream("text/event-stream", places::incrementAndGet);
    if (stream.isEmpty()) return;
    var events = stream.get();
    open.add(events);
    events.whenOver(() -> open.remove(events));
    events.send(FIRST);
    if (readiness.isStopping()) events.end(); // it may have been told before this one was there
  }

  /** A second has ended. What to tell is written only if somebody is there to read it. */
  void send(Supplier<String> stats) {
    if (open.isEmpty()) return;
    var event = event("stats", stats.get());
    boolean beat = ++seconds % HEARTBEAT_SECONDS == 0;
    for (var stream : open) {
      stream.send(event);
      if (beat) stream.send(HEARTBEAT);
    }
  }

  void rulesChanged(long revision) {
    if (open.isEmpty()) return;
    var json = new JsonOut().begin().name("revision").value(revision).end();
    var event = event("rules", json.toString());
    open.forEach(stream -> stream.send(event));
  }

  /** JSON as it is written here has no line breaks, which would end the data. */
  private static Buffer event(String name, String json) {
    return Buffer.buffer("event: " + name + "\ndata: " + json + "\n\n");
  }
}
