package io.headgate.benchmarks;

import io.headgate.testkit.redis.RedisServer;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Instances in their own JVMs on one Redis, which replay their traffic at the same time. */
final class ReplayFleet implements AutoCloseable {
  private static final long SECOND_MICROS = 1_000_000;
  private static final long LEAD_MICROS = 250_000;

  private final RedisServer server;
  private final Path directory;
  private final List<Instance> instances = new ArrayList<>();
  private int prepared;
  private int executed;

  /**
   * @param directory for traces and logs
   */
  ReplayFleet(RedisServer server, int size, Path directory) throws IOException {
    this.server = server;
    this.directory = directory;
    try {
      for (int i = 0; i < size; i++) instances.add(new Instance(server.uri(), i, size));
      awaitAll("up");
    } catch (IOException | RuntimeException e) {
      close();
      throw e;
    }
  }

  int size() {
    return instances.size();
  }

  /** Connects all instances, each with a new limiter. */
  void prepare(AccuracyRun run, RecordedArrivals trace) throws IOException {
    var file = directory.resolve("trace-%d-%d".formatted(size(), prepared));
    trace.write(file);
    String name = nameOf(prepared++);
    sendAll(instance -> "prepare %s %s %s".formatted(name, file, run.encode()));
    awaitAll("prepare");
  }

  /**
   * Executes the run that was prepared first. It starts at a full second of Redis' clock, where
   * windows begin.
   */
  List<ReplayLog> go() throws IOException {
    String name = nameOf(executed++);
    sendAll(instance -> "settle " + name);
    awaitAll("settle");
    long start = Math.ceilDiv(redisTime() + LEAD_MICROS, SECOND_MICROS) * SECOND_MICROS;
    sendAll(instance -> "go %s %d %s".formatted(name, start, logOf(name, instance)));
    awaitAll("go");
    var logs = new ArrayList<ReplayLog>();
    for (int i = 0; i < size(); i++) logs.add(ReplayLog.read(logOf(name, i)));
    return logs;
  }

  private String nameOf(int number) {
    return "run-%d-%d".formatted(size(), number);
  }

  private Path logOf(String name, int instance) {
    return directory.resolve(name + "-" + instance);
  }

  private long redisTime() {
    var time = server.call("TIME").items();
    return Long.parseLong(time.get(0).text()) * SECOND_MICROS + Long.parseLong(time.get(1).text());
  }

  private void sendAll(Function<Integer, String> command) throws IOException {
    for (int i = 0; i < size(); i++) instances.get(i).send(command.apply(i));
  }

  private void awaitAll(String name) throws IOException {
    for (var instance : instances) instance.await(name);
  }

  @Override
  public void close() {
    for (var instance : instances) instance.child.close();
  }

  private static final class Instance {
    final Child child;
    private final BufferedWriter commands;
    private final BufferedReader replies;

    Instance(String uri, int number, int size) throws IOException {
      var command =
          new ArrayList<>(List.of(BenchmarkContext.java(), "-Xmx160m", "-XX:+UseSerialGC"));
      command.addAll(BenchmarkContext.jvmOptions());
      command.addAll(List.of("-cp", BenchmarkContext.classPath(), Replay.class.getName(), uri));
      command.addAll(List.of(Integer.toString(number), Integer.toString(size)));
      child = new Child(command);
      commands = new BufferedWriter(new OutputStreamWriter(child.input(), StandardCharsets.UTF_8));
      replies = new BufferedReader(new InputStreamReader(child.output(), StandardCharsets.UTF_8));
    }

    void send(String command) throws IOException {
      commands.write(command + "\n");
      commands.flush();
    }

    void await(String name) throws IOException {
      var other = new StringBuilder();
      for (String line; (line = replies.readLine()) != null; ) {
        if (line.equals(Replay.PREFIX + name)) return;
        other.append('\n').append(line);
      }
      throw new IOException(
          "an instance ended before it acknowledged '%s':%s".formatted(name, other));
    }
  }
}
