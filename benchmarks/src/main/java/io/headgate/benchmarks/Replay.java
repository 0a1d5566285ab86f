package io.headgate.benchmarks;

import io.headgate.testkit.Eventually;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The main class of one instance in its own JVM. It reads commands from standard input, line by
 * line, and acknowledges each on standard output. It prepares runs, and replays its part of the
 * traffic from an agreed time.
 */
public final class Replay {
  /** The prefix of acknowledgements, which distinguishes them from other output. */
  static final String PREFIX = "> ";

  private static final Duration TIMEOUT = Duration.ofSeconds(20);

  private final String uri;
  private final int instance;
  private final int instances;
  private final RedisClock clock;
  private final Map<String, Replayer> prepared = new HashMap<>();

  private Replay(String uri, int instance, int instances) {
    this.uri = uri;
    this.instance = instance;
    this.instances = instances;
    this.clock = new RedisClock(uri);
  }

  /** Runs an instance; the arguments are Redis' URI, its number and the number of instances. */
  public static void main(String[] args) throws IOException {
    var replay = new Replay(args[0], Integer.parseInt(args[1]), Integer.parseInt(args[2]));
    reply("up");
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = in.readLine()) != null; ) {
      var command = List.of(line.split(" "));
      replay.execute(command);
      reply(command.getFirst());
    }
    System.exit(0); // the parent process has ended
  }

  private static void reply(String word) {
    System.out.println(PREFIX + word);
    System.out.flush();
  }

  private void execute(List<String> command) throws IOException {
    String name = command.get(1);
    switch (command.getFirst()) {
      case "prepare" -> {
        var run = AccuracyRun.of(instances, command.subList(3, command.size()));
        var arrivals = RecordedArrivals.read(Path.of(command.get(2))).of(instance);
        prepared.put(name, Replayer.open(uri, name, run, arrivals));
      }
      case "settle" -> {
        var replayer = replayerOf(name);
        Eventually.holds(
            "all instances have discovered each other",
            TIMEOUT,
            () -> replayer.store().instances() == instances);
      }
      case "go" -> {
        var replayer = replayerOf(name);
        replayer.replay(clock, Long.parseLong(command.get(2))).write(Path.of(command.get(3)));
        prepared.remove(name);
        // Close in the background, so that the returned permits do not delay the next run.
        Thread.ofPlatform().daemon().start(replayer::close);
      }
      default -> throw new IllegalArgumentException("unknown command '%s'".formatted(command));
    }
  }

  private Replayer replayerOf(String name) {
    var replayer = prepared.get(name);
    if (replayer == null) throw new IllegalStateException(name + " was not prepared");
    return replayer;
  }
}
