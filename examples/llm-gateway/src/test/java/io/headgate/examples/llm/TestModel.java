package io.headgate.examples.llm;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A model server that answers with a number of words, each of which is one token, and a prompt of
 * ten tokens.
 */
final class TestModel implements AutoCloseable {
  private static final int PROMPT = 10;

  /** The total of the tokens that it has produced. */
  final AtomicLong produced = new AtomicLong();

  private final ObjectMapper json = new ObjectMapper();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final HttpServer server;
  private final int words;

  TestModel(int words) throws IOException {
    this.words = words;
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.createContext("/v1/chat/completions", this::answer);
    server.start();
  }

  URI uri() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  private void answer(HttpExchange exchange) throws IOException {
    try (exchange) {
      var request = json.readTree(exchange.getRequestBody());
      int count = Math.min(words, request.path("max_tokens").asInt(words));
      if (request.path("stream").asBoolean()) stream(exchange, count);
      else whole(exchange, count);
    }
  }

  private void whole(HttpExchange exchange, int count) throws IOException {
    produced.addAndGet(PROMPT + count);
    String body =
        """
        {"id":"1","object":"chat.completion","choices":[{"index":0,"finish_reason":"stop",\
        "message":{"role":"assistant","content":"%s"}}],\
        "usage":{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d}}\
        """
            .formatted("word ".repeat(count).strip(), PROMPT, count, PROMPT + count);
    exchange.getResponseHeaders().set("Content-Type", "application/json");
    exchange.sendResponseHeaders(200, body.length());
    exchange.getResponseBody().write(body.getBytes(StandardCharsets.UTF_8));
  }

  private void stream(HttpExchange exchange, int count) throws IOException {
    exchange.getResponseHeaders().set("Content-Type", "text/event-stream");
    exchange.sendResponseHeaders(200, 0);
    var out = exchange.getResponseBody();
    produced.addAndGet(PROMPT);
    for (int i = 0; i < count; i++) {
      event(
          out,
          "{\"choices\":[{\"index\":0,\"delta\":{\"content\":\"word\"},\"finish_reason\":null}]}");
      produced.incrementAndGet();
    }
    event(out, "{\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}");
    event(out, "{\"choices\":[],\"usage\":{\"total_tokens\":%d}}".formatted(PROMPT + count));
    event(out, "[DONE]");
  }

  private static void event(java.io.OutputStream out, String data) throws IOException {
    out.write(("data: " + data + "\n\n").getBytes(StandardCharsets.UTF_8));
    out.flush();
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
