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
 * One instance, in a JVM of its own, that does what it is told on stdin, line by line, and says
 * when it is done: prepares trials, and replays its part of the traffic at an agreed moment.
 */
public final class Replay {
  /** What it says begins with this; whatever else is printed is no answer. */
  static final String SAYS = "> ";

  private static final Duration PATIENCE = Duration.ofSeconds(20);

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

  /** Takes Redis' URI, which instance this is, and of how many. */
  public static void main(String[] args) throws IOException {
    var replay = new Replay(args[0], Integer.parseInt(args[1]), Integer.parseInt(args[2]));
    say("up");
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = in.readLine()) != null; ) {
      var words = List.of(line.split(" "));
      replay.obey(words);
      say(words.getFirst());
    }
    System.exit(0); // whoever gave the orders is gone
  }

  private static void say(String word) {
    System.out.println(SAYS + word);
    System.out.flush();
  }

  private void obey(List<String> words) throws IOException {
    String name = words.get(1);
    switch (words.getFirst()) {
      case "prepare" -> {
        var trial = Trial.of(instances, words.subList(3, words.size()));
        var own = Trace.read(Path.of(words.get(2))).of(instance);
        prepared.put(name, Replayer.open(uri, name, trial, own));
      }
      case "settle" -> {
        var replayer = replayerOf(name);
        Eventually.holds(
            "all instances know of each other",
            PATIENCE,
            () -> replayer.store().instances() == instances);
      }
      case "go" -> {
        var replayer = replayerOf(name);
        replayer.replay(clock, Long.parseLong(words.get(2))).write(Path.of(words.get(3)));
        prepared.remove(name);
        // Not now: what it gives back is no part of what is measured next, and neither is waiting.
        Thread.ofPlatform().daemon().start(replayer::close);
      }
      default -> throw new IllegalArgumentException("'%s' is not known".formatted(words));
    }
  }

  private Replayer replayerOf(String name) {
    var replayer = prepared.get(name);
    if (replayer == null) throw new IllegalStateException(name + " was not prepared");
    return replayer;
  }
}
