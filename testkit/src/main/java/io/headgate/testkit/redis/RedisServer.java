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
 * A real {@code redis-server} on 127.0.0.1, on a port that the system chose, that keeps nothing on
 * disk. It ends on {@link #close}, and with the JVM at the latest.
 */
public final class RedisServer implements AutoCloseable {
  private static final Duration START = Duration.ofSeconds(20);
  private static final Duration REPLY = Duration.ofSeconds(5);
  private static final Duration FIRST_REPLY = Duration.ofMillis(500);
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
   * @param extraOptions as on the command line, one word each: {@code "--requirepass", "secret"}
   */
  public static RedisServer start(String... extraOptions) {
    return start(1, ports -> LaunchSpec.server(ports.getFirst(), List.of(extraOptions)));
  }

  /** As {@link #start}, of another version than the one on the PATH. */
  public static RedisServer startProgram(Path program, String... extraOptions) {
    return start(
        1,
        ports -> LaunchSpec.server(ports.getFirst(), List.of(extraOptions)).of(program.toString()));
  }

  /** As {@link #start}, and takes TLS connections on {@link #tlsPort} besides. */
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

  /** Tries other ports when somebody else was faster. */
  static RedisServer start(int ports, Function<List<Integer>, LaunchSpec> plan) {
    for (int tries = 1; ; tries++) {
      var server = new RedisServer(plan.apply(FreePorts.find(ports)));
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
        .orElseThrow(() -> new IllegalStateException(this + " takes no TLS; use startWithTls"));
  }

  public String tlsUri() {
    return "rediss://127.0.0.1:" + tlsPort();
  }

  /**
   * Sends one command over a connection of its own, as the default user, with the password that
   * {@code --requirepass} gave.
   *
   * @throws RedisError if the server answers with an error
   * @throws UncheckedIOException if it does not answer
   */
  public Reply call(String... command) {
    return call(REPLY, command);
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

  /** Ends it with SIGKILL, paused or not, and waits until it has. */
  public void kill() {
    process.kill();
  }

  /** Stops it with SIGSTOP: connections stay open, and nobody answers. */
  public void pause() {
    process.pause();
  }

  /** Goes on after {@link #pause}, with what was sent meanwhile. */
  public void resume() {
    process.resume();
  }

  /** Starts it again on the same port, empty; kills it first if need be. */
  public void restart() {
    process.kill();
    process.deleteData();
    // The port was ours and may be in use for a moment, as the outgoing end of something else.
    Eventually.holds(this + " is up again", START, () -> launched() || !foundPortTaken());
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

  /** The word that follows the option it was started with. */
  Optional<String> option(String name) {
    return launch.option(name);
  }

  /** Alive and not paused: one that can be asked. */
  boolean isRunning() {
    return process.isAlive() && !process.isPaused();
  }

  /** A line such as {@code role:master} out of INFO or CLUSTER INFO. */
  boolean says(String line, String... command) {
    return call(command).text().lines().anyMatch(line::equals);
  }

  /** Starts the process; true as soon as it answers, false when it ended instead. */
  private boolean launched() {
    process.start();
    Eventually.holds(this + " answers", START, () -> !process.isAlive() || answers());
    return process.isAlive();
  }

  /** Whoever answers must be this process, and not another one that was faster at the port. */
  private boolean answers() {
    try {
      var mine = "process_id:" + process.pid();
      return call(FIRST_REPLY, "INFO", "server").text().lines().anyMatch(mine::equals);
    } catch (RedisError e) {
      return true; // the default user may not ask
    }
  }

  private boolean foundPortTaken() {
    return process.log().contains("Address already in use");
  }

  private IllegalStateException failure() {
    return new IllegalStateException(
        "%s ended at the start; it said:%n%s".formatted(this, process.log()));
  }
}
