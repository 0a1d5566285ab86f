package io.headgate.testkit.redis;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What to start: the program, its port, and its options. */
record LaunchSpec(String program, int port, List<String> extraOptions, Arguments arguments) {
  static final String PROGRAM = "redis-server";

  /** The whole command line, once the directory to work in is known. */
  @FunctionalInterface
  interface Arguments {
    List<String> in(Path directory) throws IOException;
  }

  LaunchSpec {
    extraOptions = List.copyOf(extraOptions);
  }

  /** A server that keeps nothing on disk; later options win over earlier ones. */
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
          // A primary would wait for further replicas before it serves the first.
          arguments.addAll(List.of("--repl-diskless-sync-delay", "0"));
          arguments.addAll(extraOptions);
          return arguments;
        });
  }

  /** The same with another program. */
  LaunchSpec of(String program) {
    return new LaunchSpec(program, port, extraOptions, arguments);
  }

  /** Sentinels keep what they learn in their configuration, so it is a file, and written once. */
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

  /** The word that follows the option, where it is given. */
  Optional<String> option(String name) {
    int at = extraOptions.lastIndexOf(name);
    return at < 0 || at + 1 == extraOptions.size()
        ? Optional.empty()
        : Optional.of(extraOptions.get(at + 1));
  }
}
