package io.headgate.benchmarks.cluster;

import io.headgate.benchmarks.Callers;
import io.headgate.benchmarks.Measurement;
import io.headgate.benchmarks.ProgressLog;
import io.headgate.benchmarks.Table;
import io.headgate.benchmarks.cluster.MemberMain.Limiter;
import io.headgate.testkit.Eventually;
import io.headgate.testkit.net.FreePorts;
import io.headgate.testkit.redis.RedisServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Measures the cluster store with one, two and three members beside Redis, in alternating turns.
 */
public final class ClusterSpeed {
  private static final int MAX_MEMBERS = 3;
  private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(60);

  /**
   * The durations of the measurements.
   *
   * @param warmUp of each limiter, with many keys and again with one
   */
  public record Pace(Duration warmUp, int rounds, Duration turn) {}

  private final ProgressLog progress;
  private final Pace pace;
  private final RedisServer redis;
  private final List<String> starts = new ArrayList<>();
  private final List<String> singles = new ArrayList<>();

  private ClusterSpeed(ProgressLog progress, Pace pace, RedisServer redis) {
    this.progress = progress;
    this.pace = pace;
    this.redis = redis;
  }

  /** Runs the measurements and returns the report as Markdown. */
  public static String report(ProgressLog progress, Pace pace) throws Exception {
    try (var redis = RedisServer.start()) {
      return new ClusterSpeed(progress, pace, redis).markdown();
    }
  }

  private String markdown() throws Exception {
    var text = new StringBuilder();
    for (int members = 1; members <= MAX_MEMBERS; members++) text.append(measure(members));
    return text.append("starts ").append(starts).append(" singles ").append(singles).toString();
  }

  private String measure(int count) throws Exception {
    progress.log("  members: " + count);
    var ports = FreePorts.find(count);
    var name = "speed" + ports.getFirst();
    var join = String.join(",", ports.stream().map(port -> "127.0.0.1:" + port).toList());
    var members = new ArrayList<Member>();
    try {
      for (int i = 0; i < count; i++) {
        var member =
            Member.start(
                MemberMain.class,
                List.of(
                    Integer.toString(ports.get(i)),
                    join,
                    name,
                    Integer.toString(Callers.COUNT / count),
                    redis.uri()));
        members.add(member);
        starts.add(member.read());
      }
      for (var member : members) member.read();
      Eventually.holds(
          "every partition has an owner and a copy",
          JOIN_TIMEOUT,
          () -> count == 1 || members.getFirst().call("status").equals(count + " 0"));
      var text = new StringBuilder("\n%d members\n\n".formatted(count));
      text.append(table(members, MemberMain.KEYS)).append('\n').append(table(members, 1));
      for (var member : members) singles.add(count + ": " + member.call("single"));
      return text.toString();
    } finally {
      members.forEach(Member::close);
      redis.call("FLUSHALL", "SYNC");
    }
  }

  private Table table(List<Member> members, int keys) throws IOException {
    Map<Limiter, List<SpeedTurn>> turns = new EnumMap<>(Limiter.class);
    for (var limiter : Limiter.values()) {
      turn(members, limiter, keys, pace.warmUp);
      turns.put(limiter, new ArrayList<>());
    }
    for (int round = 0; round < pace.rounds; round++) {
      turns.forEach((limiter, all) -> {
        try {
          var turn = turn(members, limiter, keys, pace.turn);
          progress.log(String.format(Locale.ROOT, "    %s: %,.0f/s", limiter, turn.perSecond()));
          all.add(turn);
        } catch (IOException e) {
          throw new java.io.UncheckedIOException(e);
        }
      });
    }
    var table = new Table("", "decisions a second", "", "CPU µs", "p50 µs", "p99 µs");
    var base = rate(turns.getOrDefault(Limiter.SCRIPT, List.of()));
    turns.forEach((limiter, all) ->
        table.row(
            limiter.title,
            rate(all).toString(),
            rate(all).times(base),
            median(all, SpeedTurn::cpuMicros),
            median(all, turn -> turn.micros(50)),
            median(all, turn -> turn.micros(99))));
    return table;
  }

  /** Runs the callers of all members at the same time. */
  private SpeedTurn turn(List<Member> members, Limiter limiter, int keys, Duration time)
      throws IOException {
    double before = redisMicros();
    for (var member : members) {
      member.send("run %s %d %d".formatted(limiter, keys, time.toMillis()));
    }
    var turns = new ArrayList<SpeedTurn>();
    for (var member : members) turns.add(SpeedTurn.decode(member.read()));
    return SpeedTurn.together(turns).plusCpu(redisMicros() - before);
  }

  private static Measurement rate(List<SpeedTurn> turns) {
    return Measurement.of(turns.stream().mapToDouble(SpeedTurn::perSecond).toArray());
  }

  private static String median(List<SpeedTurn> turns, ToDoubleFunction<SpeedTurn> what) {
    double median = Measurement.of(turns.stream().mapToDouble(what).toArray()).median();
    return String.format(Locale.ROOT, median < 100 ? "%.1f" : "%,.0f", median);
  }

  private double redisMicros() {
    return redis
        .call("INFO", "cpu")
        .text()
        .lines()
        .filter(line -> line.startsWith("used_cpu_user:") || line.startsWith("used_cpu_sys:"))
        .mapToDouble(line -> Double.parseDouble(line.substring(line.indexOf(':') + 1)) * 1e6)
        .sum();
  }
}
