package io.headgate.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Generates HTTP load with <a href="https://github.com/wg/wrk">wrk</a>, over keep-alive connections
 * without pipelining.
 *
 * @param script the Lua script that creates the requests
 */
record Wrk(Path script, int connections) {
  private static final Pattern REQUESTS = Pattern.compile("(?m)^ *(\\d+) requests in ");
  private static final Pattern RATE = Pattern.compile("(?m)^Requests/sec: *([0-9.]+)$");
  private static final Pattern ERRORS =
      Pattern.compile("(?m)^ *((Socket errors|Non-2xx or 3xx responses): .*)$");

  static Load parse(String output) {
    var errors = ERRORS.matcher(output);
    if (errors.find()) {
      throw new IllegalStateException("wrk reports errors: " + errors.group(1));
    }
    var requests = REQUESTS.matcher(output);
    var rate = RATE.matcher(output);
    if (!requests.find() || !rate.find()) {
      throw new IllegalStateException("unexpected output of wrk: " + output);
    }
    return new Load(Long.parseLong(requests.group(1)), Double.parseDouble(rate.group(1)));
  }

  /**
   * Creates a load of POST requests.
   *
   * @param body the body, in which {@code %d} is replaced by numbers from 1 to {@code count}
   */
  static Wrk posting(String body, int count, Path directory, int connections) throws IOException {
    var script = directory.resolve("post.lua");
    Files.writeString(
        script,
        """
        local requests = {}
        local at = 0

        function init(args)
          wrk.headers["Content-Type"] = "application/json"
          for i = 1, %d do
            requests[i] = wrk.format("POST", nil, nil, string.format([[%s]], i))
          end
        end

        function request()
          at = at %% #requests + 1
          return requests[at]
        end
        """
            .formatted(count, body));
    return new Wrk(script, connections);
  }

  static boolean isInstalled() throws InterruptedException {
    try (var version = new Child(List.of("wrk", "-v"))) {
      version.output().readAllBytes();
      version.waitFor();
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  Load run(String url, int seconds) throws IOException, InterruptedException {
    var command =
        List.of(
            "wrk", "-t1", "-c" + connections, "-d" + seconds + "s", "-s", script.toString(), url);
    try (var wrk = new Child(command)) {
      String output = new String(wrk.output().readAllBytes(), StandardCharsets.UTF_8);
      if (wrk.waitFor() != 0) throw new IllegalStateException("wrk failed: " + output.strip());
      return parse(output);
    }
  }
}
