package io.headgate.server.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.CommandFailure;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;

/**
 * Runs the commands that call a service, so that the JVM records their classes. A server inside the
 * process replies with a fixed text, since the classes of the service would make the cache, and the
 * time to map it, three times as large.
 */
record ClientWarmUp(CommandContext context) {
  private static final List<String> COMMANDS =
      List.of(
          "--help",
          "check user:1",
          "check user:1 --json",
          "explain user:1",
          "status",
          "callers",
          "blocks",
          "slots acquire user:1",
          "rules list",
          "rules history",
          "unblock user:1",
          "rules show x");

  /** A response that all commands accept. */
  private static final byte[] REPLY =
      """
      {"allowed":true,"rule":"x","limit":9,"remaining":8,"resetAfterMs":1000,"id":"x",
      "limits":[{"rule":"x","name":"x","limit":9,"remaining":8},{"rule":"y","name":"z"}],
      "rules":[{"id":"x","match":{"key":"*"},"limit":{"algorithm":"fixed-window","rate":"9/1s"}}],
      "revisions":[{"number":1,"at":"2026-01-01T00:00:00Z","author":"x"}],"now":1,"status":"ready",
      "callers":[{"caller":"x","perSecond":1.5,"last":1}],"store":{},"repository":{},
      "rates":{"allowed":1.5}}
      """
          .getBytes(UTF_8);

  /**
   * Runs the commands.
   *
   * @throws CommandFailure if the server can't listen or a check fails
   */
  void run() {
    try {
      var address = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
      var server = HttpServer.create(address, 0);
      server.createContext("/", ClientWarmUp::reply);
      server.start();
      try {
        String url = "http://127.0.0.1:" + server.getAddress().getPort();
        for (var command : COMMANDS) run(command, url);
      } finally {
        server.stop(0); // its thread would keep the process alive
      }
    } catch (IOException e) {
      throw new CommandFailure("the warm-up can't listen on the loopback address");
    }
  }

  private static void reply(HttpExchange exchange) throws IOException {
    try (exchange) {
      exchange.getRequestBody().readAllBytes();
      exchange.sendResponseHeaders(200, REPLY.length);
      exchange.getResponseBody().write(REPLY);
    }
  }

  private void run(String command, String url) {
    var output = new StringWriter();
    var writer = new PrintWriter(output, true);
    var environment = Map.of("HEADGATE_URL", url);
    var quiet = new CommandContext(environment, context.directory(), writer, writer, false);
    int code = Main.run(quiet, command.split(" ", -1));
    if (code == Main.ERROR && command.startsWith("check")) {
      throw new CommandFailure("a check failed during the warm-up: " + output);
    }
  }
}
