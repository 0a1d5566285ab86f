package io.headgate.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Generates gRPC load with <a href="https://nghttp2.org">h2load</a>, over HTTP/2 connections with
 * several concurrent calls each, as Envoy does.
 *
 * @param message the file with the framed message
 */
record H2load(Path message, int connections, int streams) {
  private static final Pattern RATE = Pattern.compile("(?m)^finished in .*?, ([0-9.]+) req/s");
  private static final Pattern DONE =
      Pattern.compile("(?m)^requests: .* (\\d+) succeeded, (\\d+) failed, (\\d+) errored");

  static H2load sending(byte[] message, Path directory, int connections, int streams)
      throws IOException {
    var file = directory.resolve("message.bin");
    Files.write(file, message);
    return new H2load(file, connections, streams);
  }

  static boolean isInstalled() throws InterruptedException {
    try (var version = new Child(List.of("h2load", "--version"))) {
      version.output().readAllBytes();
      return version.waitFor() == 0;
    } catch (IOException e) {
      return false;
    }
  }

  static Load parse(String output) {
    var rate = RATE.matcher(output);
    var done = DONE.matcher(output);
    if (!rate.find() || !done.find()) {
      throw new IllegalStateException("unexpected output of h2load: " + output);
    }
    if (!done.group(2).equals("0") || !done.group(3).equals("0")) {
      throw new IllegalStateException("h2load reports errors: " + done.group());
    }
    return new Load(Long.parseLong(done.group(1)), Double.parseDouble(rate.group(1)));
  }

  Load run(String url, int seconds) throws IOException, InterruptedException {
    var command =
        List.of(
            "h2load",
            "-t1",
            "-c" + connections,
            "-m" + streams,
            "-D" + seconds,
            "-d",
            message.toString(),
            "-H",
            "content-type: application/grpc",
            "-H",
            "te: trailers",
            url);
    try (var h2load = new Child(command)) {
      String output = new String(h2load.output().readAllBytes(), StandardCharsets.UTF_8);
      if (h2load.waitFor() != 0) {
        throw new IllegalStateException("h2load failed: " + output.strip());
      }
      return parse(output);
    }
  }
}
