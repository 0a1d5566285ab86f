package io.headgate.testkit.redis;

import io.headgate.testkit.Eventually;
import io.headgate.testkit.net.FreePorts;
import io.headgate.testkit.net.TestCertificates;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A real {@code redis-server} without persistence, on 127.0.0.1 and a free port. It is killed on
 * {@link #close}, at the latest when the JVM exits.
 */
public final class RedisServer implements AutoCloseable {
  private static final Duration START_TIMEOUT = Duration.ofSeconds(20);
  private static final Duration REPLY_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration FIRST_REPLY_TIMEOUT = Duration.ofMillis(500);
  private static final int TRIES = 5;

  private final LaunchSpec launch;
  private final RedisProcess process;

  private RedisServer(LaunchSpec launch) {
    this.launch = launch;
    this.process = new RedisProcess(launch);
  }

  /**
   * Starts a server and waits until it answers.
   *
   * @param extraOptions command-line arguments, one element each: {@code "--requirepass", "secret"}
   */
  public static RedisServer start(String... extraOptions) {
    return start(1, ports -> LaunchSpec.server(ports.getFirst(), List.of(extraOptions)));
  }

  /** As {@link #start}, with another program than the one on the PATH. */
  public static RedisServer startProgram(Path program, String... extraOptions) {
    return start(
        1,
        ports -> LaunchSpec.server(ports.getFirst(), List.of(extraOptions)).of(program.toString()));
  }

  /** As {@link #start}; it accepts TLS connections on {@link #tlsPort} as well. */
  public static RedisServer startWithTls(TestCertificates certificates, String... extraOptions) {
    return start(
        2,
        ports -> {
          var options = new ArrayList<String>();
          options.addAll(List.of("--tls-port", ports.getLast().toString()));
          options.addAll(List.of("--tls-cert-file", certificates.certificate().toString()));
          options.addAll(List.of("--tls-key-file", certificates.key().toString()));
          options.addAll(List.of("--tls-ca-cert-file", certificates.certificate().toString()));
          options.addAll(List.of("--tls-auth-clients", "no"));
          options.addAll(List.of(extraOptions));
          return LaunchSpec.server(ports.getFirst(), options);
        });
  }

  /** Starts a server; retries with other ports if another process has taken one. */
  static RedisServer start(int ports, Function<List<Integer>, LaunchSpec> launchSpec) {
    for (int tries = 1; ; tries++) {
      var server = new RedisServer(launchSpec.apply(FreePorts.find(ports)));
      try {
        if (server.launched()) return server;
        if (tries == TRIES || !server.foundPortTaken()) throw server.failure();
      } catch (RuntimeException | Error e) {
        server.close();
        throw e;
      }
      server.close();
    }
  }

  public int port() {
    return launch.port();
  }

  public String uri() {
    return "redis://127.0.0.1:" + port();
  }

  public int tlsPort() {
    return launch
        .option("--tls-port")
        .map(Integer::parseInt)
        .orElseThrow(() -> new IllegalStateException(this + " has no TLS port; use startWithTls"));
  }

  public String tlsUri() {
    return "rediss://127.0.0.1:" + tlsPort();
  }

  /**
   * Sends one command over a new connection, as the default user, with the password of {@code
   * --requirepass}.
   *
   * @throws RedisError if the reply is an error
   * @throws UncheckedIOException if there is no reply
   */
  public Reply call(String... command) {
    return call(REPLY_TIMEOUT, command);
  }

  private Reply call(Duration timeout, String... command) {
    try (var connection = RespConnection.open(port(), timeout)) {
      var password = launch.option("--requirepass");
      if (password.isPresent()) connection.call("AUTH", password.get());
      return connection.call(command);
    } catch (IOException e) {
      throw new UncheckedIOException(this + ": " + e.getMessage(), e);
    }
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  /** Sends SIGKILL and waits for the end of the process, which may be paused. */
  public void kill() {
    process.kill();
  }

  /** Stops the process with SIGSTOP. Connections stay open without replies. */
  public void pause() {
    process.pause();
  }

  /** Continues after {@link #pause} and serves the commands sent meanwhile. */
  public void resume() {
    process.resume();
  }

  /** Kills the server if it runs, and starts it on the same port without data. */
  public void restart() {
    process.kill();
    process.deleteData();
    // The port may be in use for a moment as the local port of an outgoing connection.
    Eventually.holds(this + " is up again", START_TIMEOUT, () -> launched() || !foundPortTaken());
    if (!process.isAlive()) throw failure();
  }

  @Override
  public void close() {
    process.close();
  }

  @Override
  public String toString() {
    return process.toString();
  }

  /** Returns the value of an option that the server was started with. */
  Optional<String> option(String name) {
    return launch.option(name);
  }

  /** Returns whether it is alive and not paused. */
  boolean isRunning() {
    return process.isAlive() && !process.isPaused();
  }

  /**
   * Returns a number that {@code INFO} reports.
   *
   * @param name the field without its colon, such as {@code used_memory}
   * @throws IllegalStateException if the section has no such field
   */
  public double info(String section, String name) {
    var start = name + ":";
    return call("INFO", section)
        .text()
        .lines()
        .filter(line -> line.startsWith(start))
        .mapToDouble(line -> Double.parseDouble(line.substring(start.length())))
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("INFO %s lacks %s".formatted(section, name)));
  }

  /** Returns the CPU time of the server in seconds, of user and system together. */
  public double cpuSeconds() {
    return info("cpu", "used_cpu_user") + info("cpu", "used_cpu_sys");
  }

  /** Returns the used memory without the buffers of connections, which vary with the load. */
  public double dataBytes() {
    return info("memory", "used_memory") - info("memory", "mem_clients_normal");
  }

  /** Returns whether the reply, of INFO or CLUSTER INFO, has a line such as {@code role:master}. */
  boolean reports(String line, String... command) {
    return call(command).text().lines().anyMatch(line::equals);
  }

  /** Starts the process; returns true once it replies, false if it ended. */
  private boolean launched() {
    process.start();
    Eventually.holds(this + " answers", START_TIMEOUT, () -> !process.isAlive() || answers());
    return process.isAlive();
  }

  /** Returns whether this process replies, and not another one that has taken the port. */
  private boolean answers() {
    try {
      var mine = "process_id:" + process.pid();
      return call(FIRST_REPLY_TIMEOUT, "INFO", "server").text().lines().anyMatch(mine::equals);
    } catch (RedisError e) {
      return true; // the default user lacks permission
    }
  }

  private boolean foundPortTaken() {
    return process.log().contains("Address already in use");
  }

  private IllegalStateException failure() {
    return new IllegalStateException(
        "%s ended during start-up; its output:%n%s".formatted(this, process.log()));
  }
}
