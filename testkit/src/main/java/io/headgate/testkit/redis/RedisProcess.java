package io.headgate.testkit.redis;

import io.headgate.testkit.Eventually;
import io.headgate.testkit.ExitHooks;
import io.headgate.testkit.ScratchDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Optional;

/**
 * A restartable process with its own directory. It is killed on close, at the latest when the JVM
 * exits. Thread-safe.
 */
final class RedisProcess implements AutoCloseable {
  private final LaunchSpec launch;
  private final ScratchDirectory directory = ScratchDirectory.create("headgate-redis-");
  private Optional<Process> process = Optional.empty();
  private int starts;
  private boolean paused;
  private boolean closed;

  RedisProcess(LaunchSpec launch) {
    this.launch = launch;
    ExitHooks.closeAtExit(this);
  }

  synchronized void start() {
    checkOpen();
    starts++;
    paused = false;
    try {
      var command = new ArrayList<String>();
      command.add(launch.program());
      command.addAll(launch.arguments().in(directory.path()));
      process =
          Optional.of(
              new ProcessBuilder(command)
                  .redirectErrorStream(true)
                  .redirectOutput(logFile().toFile())
                  .start());
    } catch (IOException e) {
      throw new IllegalStateException(
          "%s can't be started; install it (Debian's package redis-server) so that it is on the PATH: %s"
              .formatted(launch.program(), System.getenv("PATH")),
          e);
    }
  }

  synchronized boolean isAlive() {
    return process.isPresent() && process.get().isAlive();
  }

  synchronized boolean isPaused() {
    return paused && isAlive();
  }

  synchronized long pid() {
    return process.orElseThrow().pid();
  }

  /** Sends SIGKILL, which ends a paused process too, and waits for the end. */
  synchronized void kill() {
    process.ifPresent(RedisProcess::kill);
  }

  /** Sends SIGSTOP and waits until the process has stopped. */
  synchronized void pause() {
    signal("STOP");
    paused = true;
    Eventually.holds(this + " stops", Duration.ofSeconds(5), this::isStopped);
  }

  /** Sends SIGCONT. */
  synchronized void resume() {
    signal("CONT");
    paused = false;
  }

  /** Deletes the RDB file of a replica, which would be loaded at the next start. */
  synchronized void deleteData() {
    checkOpen();
    try (var files = Files.newDirectoryStream(directory.path(), "*.rdb")) {
      for (var file : files) Files.delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the output of the process since its last start. */
  synchronized String log() {
    try {
      return Files.readString(logFile());
    } catch (IOException e) {
      return "no log: " + e;
    }
  }

  @Override
  public synchronized void close() {
    if (closed) return;
    closed = true;
    kill();
    directory.close();
    ExitHooks.remove(this);
  }

  @Override
  public String toString() {
    return launch.program() + " on port " + launch.port();
  }

  private void checkOpen() {
    if (closed) throw new IllegalStateException(this + " is closed; start another");
  }

  private Path logFile() {
    return directory.resolve("start-" + starts + ".log");
  }

  private void signal(String name) {
    if (!isAlive()) throw new IllegalStateException(this + " is not running; restart() it first");
    try {
      // The shell's built-in kill, since the kill command is not installed everywhere.
      var command = new ProcessBuilder("sh", "-c", "kill -" + name + " " + pid());
      int exit = waitFor(command.inheritIO().start());
      if (exit != 0) throw new IllegalStateException("can't send SIG" + name + " to " + this);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns whether the kernel reports the process as stopped; signals are asynchronous. */
  private boolean isStopped() throws IOException {
    var status = Path.of("/proc", Long.toString(pid()), "status");
    return !Files.exists(status)
        || Files.readAllLines(status).stream().anyMatch(line -> line.matches("State:\\s+T.*"));
  }

  private static void kill(Process process) {
    int unused = waitFor(process.destroyForcibly());
  }

  private static int waitFor(Process process) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return process.waitFor();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } finally {
      if (interrupted) Thread.currentThread().interrupt();
    }
  }
}
