package io.headgate.client;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A server on loopback whose responses a test chooses, for those that Headgate never gives. */
public final class ScriptedService implements AutoCloseable {
  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final List<String> requests = new CopyOnWriteArrayList<>();

  /** Answers one request. */
  @FunctionalInterface
  public interface Answer {
    void to(HttpExchange exchange) throws IOException;
  }

  public ScriptedService(Answer answer) {
    try {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    server.setExecutor(threads);
    server.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
          answer.to(exchange);
        });
    server.start();
  }

  /** Answers every request with a status and a body. */
  static ScriptedService replying(int status, String body) {
    return new ScriptedService(exchange -> {
      var bytes = body.getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
      exchange.close();
    });
  }

  public String url() {
    return "http://127.0.0.1:" + server.getAddress().getPort();
  }

  /** Returns the method and path of each request so far. */
  public List<String> requests() {
    return requests;
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
