package io.headgate.server.gateway;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpServer;
import io.headgate.testkit.net.FreePorts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.concurrent.atomic.AtomicInteger;

/** Something to protect. Says 403 of its own at {@code /forbidden}. */
final class Application implements AutoCloseable {
  final AtomicInteger requests = new AtomicInteger();
  private final HttpServer server;

  Application() {
    try {
      server = HttpServer.create(new InetSocketAddress(FreePorts.loopback(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.createContext(
        "/",
        exchange -> {
          requests.incrementAndGet();
          exchange.getRequestBody().readAllBytes();
          byte[] body = ("served " + exchange.getRequestMethod()).getBytes(UTF_8);
          boolean forbidden = exchange.getRequestURI().getPath().equals("/forbidden");
          exchange.sendResponseHeaders(forbidden ? 403 : 200, body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
  }

  int port() {
    return server.getAddress().getPort();
  }

  @Override
  public void close() {
    server.stop(0);
  }
}
