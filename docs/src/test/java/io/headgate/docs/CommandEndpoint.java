package io.headgate.docs;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.headgate.server.cli.Main;
import io.headgate.server.cli.output.CommandContext;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * Runs commands of {@code ./headgate} in this JVM, so that an example does not start one of its
 * own. {@link #launcher} is a shell script that takes the place of {@code ./headgate}: it sends the
 * arguments, the environment and, for the argument {@code -}, standard input to this endpoint.
 */
final class CommandEndpoint implements AutoCloseable {
  /** An exit code is sent as a status of HTTP, from 200 up. */
  private static final int OK = 200;

  private final HttpServer server;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Path launcher;

  CommandEndpoint(Path folder) throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::handle);
    server.setExecutor(threads);
    server.start();
    launcher = folder.resolve("headgate");
    Files.writeString(launcher, script(server.getAddress().getPort()));
    if (!launcher.toFile().setExecutable(true)) throw new IOException("not executable");
  }

  private static String script(int port) {
    return """
    #!/usr/bin/env bash
    reply=$({
      printf '%%s\\0' "$PWD" "$#" "$@"
      env -0 | grep -z '^HEADGATE_'
      printf '\\0'
      for argument; do [ "$argument" != - ] || cat; done
    } | curl -s --data-binary @- -w '%%{http_code}' http://127.0.0.1:%d/)
    printf '%%s' "${reply%%???}"
    exit $((${reply: -3} - %d))
    """
        .formatted(port, OK);
  }

  /** Returns the script to run instead of {@code ./headgate}. */
  Path launcher() {
    return launcher;
  }

  private void handle(HttpExchange exchange) throws IOException {
    try (exchange) {
      var call = Call.read(exchange.getRequestBody().readAllBytes());
      var output = new StringWriter();
      int code = run(call, new PrintWriter(output, true));
      var bytes = output.toString().getBytes(StandardCharsets.UTF_8);
      exchange.sendResponseHeaders(OK + code, bytes.length == 0 ? -1 : bytes.length);
      exchange.getResponseBody().write(bytes);
    }
  }

  private static int run(Call call, PrintWriter output) {
    var context = new CommandContext(call.environment, call.directory, output, output, false);
    var arguments = call.arguments.toArray(String[]::new);
    if (call.input.isEmpty()) return Main.run(context, arguments);
    synchronized (CommandEndpoint.class) {
      var before = System.in;
      System.setIn(new ByteArrayInputStream(call.input.getBytes(StandardCharsets.UTF_8)));
      try {
        return Main.run(context, arguments);
      } finally {
        System.setIn(before);
      }
    }
  }

  /** The arguments, variables and standard input of one command. */
  private record Call(
      Path directory, List<String> arguments, Map<String, String> environment, String input) {
    /** Reads texts that end in a zero byte, up to an empty one, and then standard input. */
    static Call read(byte[] body) {
      int position = 0;
      var texts = new ArrayList<String>();
      int wanted = 2; // the directory and the number of arguments
      while (texts.size() < wanted) {
        int end = end(body, position);
        texts.add(text(body, position, end));
        if (texts.size() == 2) wanted += Integer.parseInt(texts.getLast());
        position = end + 1;
      }
      var environment = new HashMap<String, String>();
      for (int end = end(body, position); end > position; end = end(body, position)) {
        String variable = text(body, position, end);
        int equals = variable.indexOf('=');
        environment.put(variable.substring(0, equals), variable.substring(equals + 1));
        position = end + 1;
      }
      return new Call(
          Path.of(texts.getFirst()),
          List.copyOf(texts.subList(2, wanted)),
          environment,
          text(body, position + 1, body.length));
    }

    private static int end(byte[] body, int start) {
      int end = start;
      while (body[end] != 0) end++;
      return end;
    }

    private static String text(byte[] body, int start, int end) {
      return new String(body, start, end - start, StandardCharsets.UTF_8);
    }
  }

  @Override
  public void close() {
    server.stop(0);
    threads.close();
  }
}
