package io.headgate.benchmarks;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A child process that is killed on close, at the latest when this JVM exits. */
public final class Child implements AutoCloseable {
  private static final int GRACE_SECONDS = 15;

  private final Process process;
  private final Thread hook;

  /** Starts a command in the working directory. */
  public Child(List<String> command) throws IOException {
    this(command, Path.of("."));
  }

  Child(List<String> command, Path directory) throws IOException {
    var builder =
        new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true);
    // The service reads options from these variables, which must not affect the measurement.
    builder.environment().keySet().removeIf(name -> name.startsWith("HEADGATE_"));
    process = builder.start();
    hook = Thread.ofPlatform().unstarted(process::destroyForcibly);
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Returns its standard output and standard error, merged. */
  public InputStream output() {
    return process.getInputStream();
  }

  /** Returns its standard input. */
  public OutputStream input() {
    return process.getOutputStream();
  }

  /** Waits until it ends, and returns its exit code. */
  public int waitFor() throws InterruptedException {
    return process.waitFor();
  }

  /** Returns its process id. */
  public long pid() {
    return process.pid();
  }

  /** Returns the CPU time used so far, if the operating system reports it. */
  public Optional<Duration> cpu() {
    return process.info().totalCpuDuration();
  }

  /** Kills it with SIGKILL, and waits for its end. */
  public void kill() throws InterruptedException {
    process.destroyForcibly();
    int unused = process.waitFor();
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
