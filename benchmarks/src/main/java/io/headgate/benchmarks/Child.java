package io.headgate.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A process that ends with this one at the latest, however this one ends. */
final class Child implements AutoCloseable {
  private static final int GRACE_SECONDS = 15;

  private final Process process;
  private final Thread hook;

  Child(List<String> command) throws IOException {
    this(command, Path.of("."));
  }

  Child(List<String> command, Path directory) throws IOException {
    var builder =
        new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
    // Options that the service would read from there are not those to be measured.
    builder.environment().keySet().removeIf(name -> name.startsWith("HEADGATE_"));
    process = builder.start();
    hook = Thread.ofPlatform().unstarted(process::destroyForcibly);
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Both of its streams as one. */
  InputStream output() {
    return process.getInputStream();
  }

  /** What it reads. */
  OutputStream input() {
    return process.getOutputStream();
  }

  int waitFor() throws InterruptedException {
    return process.waitFor();
  }

  /** The CPU time that it has used until now, where the system tells. */
  Optional<Duration> cpu() {
    return process.info().totalCpuDuration();
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(GRACE_SECONDS, TimeUnit.SECONDS)) process.destroyForcibly();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
    Runtime.getRuntime().removeShutdownHook(hook);
  }
}
