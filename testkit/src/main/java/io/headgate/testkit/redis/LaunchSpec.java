package io.headgate.testkit.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The program to start, with its port and options. */
record LaunchSpec(String program, int port, List<String> extraOptions, Arguments arguments) {
  static final String PROGRAM = "redis-server";

  /** Creates the command line for a working directory. */
  @FunctionalInterface
  interface Arguments {
    List<String> in(Path directory) throws IOException;
  }

  LaunchSpec {
    extraOptions = List.copyOf(extraOptions);
  }

  /** Returns a server without persistence. Later options override earlier ones. */
  static LaunchSpec server(int port, List<String> extraOptions) {
    return new LaunchSpec(
        PROGRAM,
        port,
        extraOptions,
        directory -> {
          var arguments = new ArrayList<String>();
          arguments.addAll(List.of("--port", Integer.toString(port)));
          arguments.addAll(List.of("--bind", "127.0.0.1", "--dir", directory.toString()));
          arguments.addAll(List.of("--save", "", "--appendonly", "no"));
          // By default a primary waits for more replicas before it serves the first.
          arguments.addAll(List.of("--repl-diskless-sync-delay", "0"));
          arguments.addAll(extraOptions);
          return arguments;
        });
  }

  /** Returns the same specification with another program. */
  LaunchSpec of(String program) {
    return new LaunchSpec(program, port, extraOptions, arguments);
  }

  /**
   * Returns a Sentinel. Its configuration is a file that is written once, since Sentinel stores its
   * state in it.
   */
  static LaunchSpec sentinel(int port, List<String> configuration) {
    return new LaunchSpec(
        PROGRAM,
        port,
        List.of(),
        directory -> {
          var file = directory.resolve("sentinel.conf");
          if (!Files.exists(file)) {
            var lines = new ArrayList<String>();
            lines.addAll(List.of("port " + port, "bind 127.0.0.1", "dir " + directory));
            lines.addAll(configuration);
            Files.write(file, lines);
          }
          return List.of(file.toString(), "--sentinel");
        });
  }

  /** Returns the value of an option, if given. */
  Optional<String> option(String name) {
    int at = extraOptions.lastIndexOf(name);
    return at < 0 || at + 1 == extraOptions.size()
        ? Optional.empty()
        : Optional.of(extraOptions.get(at + 1));
  }
}
