package io.headgate.server.trace;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.headgate.testkit.Eventually;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Span;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** A collector that receives traces by OTLP over HTTP and stores them. */
final class OtlpExporterServer implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final HttpServer server;
  private final List<Span> spans = new CopyOnWriteArrayList<>();
  private final List<KeyValue> resource = new CopyOnWriteArrayList<>();
  private volatile int status = 200;
  private volatile CountDownLatch held = new CountDownLatch(0);

  OtlpExporterServer() {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext("/v1/traces", this::take);
    server.start();
  }

  private void take(HttpExchange exchange) throws IOException {
    try (exchange) {
      held.await();
      var request = ExportTraceServiceRequest.parseFrom(exchange.getRequestBody().readAllBytes());
      if (status == 200) {
        for (var from : request.getResourceSpansList()) {
          resource.addAll(from.getResource().getAttributesList());
          from.getScopeSpansList().forEach(scope -> spans.addAll(scope.getSpansList()));
        }
      }
      exchange.sendResponseHeaders(status, -1);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Rejects all further requests. */
  void refuse() {
    status = 400;
  }

  /** Delays all responses until the latch is open. */
  void holdUntil(CountDownLatch latch) {
    held = latch;
  }

  String address() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Returns the spans received so far. */
  List<Span> spans() {
    return List.copyOf(spans);
  }

  /** Waits for the given number of spans and returns them. */
  List<Span> await(int number) {
    Eventually.holds(number + " spans are received", PATIENCE, () -> spans.size() >= number);
    return spans();
  }

  Map<String, String> resource() {
    return texts(resource);
  }

  static Map<String, String> attributes(Span span) {
    return texts(span.getAttributesList());
  }

  private static Map<String, String> texts(List<KeyValue> pairs) {
    var texts = new TreeMap<String, String>();
    for (var pair : pairs) {
      var value = pair.getValue();
      texts.put(
          pair.getKey(),
          value.hasIntValue() ? Long.toString(value.getIntValue()) : value.getStringValue());
    }
    return texts;
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
