package io.headgate.docs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Runs commands of the pages in a shell, {@code ./headgate} in this JVM. */
final class CommandShell implements AutoCloseable {
  private static final long TIMEOUT_SECONDS = 60;

  private final CommandEndpoint endpoint;
  private final Path output;

  /**
   * @param folder a directory for the files of the shell
   */
  CommandShell(Path folder) throws IOException {
    this.endpoint = new CommandEndpoint(folder);
    this.output = folder.resolve("output");
  }

  /**
   * Runs a command against a service and returns its output of both streams, with the port that the
   * pages show.
   *
   * @param port the port of the service; 0 if there is none
   */
  String run(String command, Path directory, int port) throws IOException, InterruptedException {
    String url = "127.0.0.1:" + port;
    var script =
        command.replace("./headgate ", endpoint.launcher() + " ").replace("127.0.0.1:8080", url);
    var builder =
        new ProcessBuilder("bash", "-c", script)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().put("HEADGATE_URL", "http://" + url);
    builder.environment().put("NO_COLOR", "1");
    var process = builder.start();
    if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      process.descendants().forEach(ProcessHandle::destroy);
      process.destroyForcibly();
      throw new AssertionError("still running: " + command);
    }
    return Files.readString(output, StandardCharsets.UTF_8).replace(url, "127.0.0.1:8080");
  }

  @Override
  public void close() {
    endpoint.close();
  }
}
