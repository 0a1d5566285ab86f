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
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/**
 * Measures the cluster store with one, two and three members beside Redis, in alternating turns.
 */
public final class ClusterSpeed {
  private static final Duration JOIN_TIMEOUT = Duration.ofSeconds(60);

  /**
   * The durations of the measurements.
   *
   * @param members the largest number of members
   * @param warmUp of each limiter, with many keys and again with one; the grid needs seconds until
   *     its code is compiled
   */
  public record Pace(int members, Duration warmUp, int rounds, Duration turn) {
    /** Returns the pace of a report: two to four minutes on a machine at rest. */
    public static Pace of(boolean full) {
      return full
          ? new Pace(3, Duration.ofSeconds(8), 5, Duration.ofSeconds(1))
          : new Pace(3, Duration.ofSeconds(4), 3, Duration.ofMillis(600));
    }
  }

  private final ProgressLog progress;
  private final Pace pace;
  private final RedisServer redis;
  private final Map<Integer, List<Double>> starts = new TreeMap<>(); // in seconds, by position
  private final List<Double> strict = new ArrayList<>(); // µs of one check after the other
  private final List<Double> leased = new ArrayList<>();

  private ClusterSpeed(ProgressLog progress, Pace pace, RedisServer redis) {
    this.progress = progress;
    this.pace = pace;
    this.redis = redis;
  }

  /**
   * Runs the measurements and returns the report as Markdown.
   *
   * @param program the program's jar, whose part of the grid is weighed
   */
  public static String report(ProgressLog progress, Pace pace, Path program) throws Exception {
    try (var redis = RedisServer.start()) {
      return new ClusterSpeed(progress, pace, redis).markdown(program);
    }
  }

  private String markdown(Path program) throws Exception {
    var tables = new StringBuilder();
    for (int members = 1; members <= pace.members; members++) tables.append(measure(members));
    return """
    Members and a dedicated `redis-server` on one machine, over loopback. Each member is a process with an equal part
    of %d callers in a closed loop. The callers of the same processes use Redis in alternating turns: medians of %d
    turns of %d ms, after %d s of warm-up. CPU, per decision, is that of all processes and of Redis. Token bucket, one strict
    rule; every request passes. A member has one copy of each counter of another. Ratios are to the first row.
    %s
    |  |  |
    | --- | --: |
    %s| one strict check after the other, one member | %.1f µs |
    | one leased check after the other, one member | %.2f µs |
    | the grid's part of the program | %s |
    """
        .formatted(
            Callers.COUNT,
            pace.rounds,
            pace.turn.toMillis(),
            pace.warmUp.toSeconds(),
            tables,
            startRows(),
            medianOf(strict),
            medianOf(leased),
            GridSize.of(program));
  }

  private String startRows() {
    var rows = new StringBuilder();
    starts.forEach((position, seconds) ->
        rows.append(
            String.format(
                Locale.ROOT,
                "| start of the JVM until joined, member %d | %.1f s |\n",
                position,
                medianOf(seconds))));
    return rows.toString();
  }

  private static double medianOf(List<Double> figures) {
    return Measurement.of(figures.stream().mapToDouble(Double::doubleValue).toArray()).median();
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
        double seconds = Integer.parseInt(member.read().split(" ", -1)[0]) / 1e3;
        starts.computeIfAbsent(i + 1, first -> new ArrayList<>()).add(seconds);
      }
      for (var member : members) member.read();
      Eventually.holds(
          "every partition has an owner and a copy",
          JOIN_TIMEOUT,
          () -> count == 1 || members.getFirst().call("status").equals(count + " 0"));
      var title = count == 1 ? "One member" : count + " members";
      var uniform = table(members, MemberMain.KEYS);
      var hot = table(members, 1);
      if (count == 1) {
        strict.add(Long.parseLong(members.getFirst().call("single strict")) / 1e3);
        leased.add(Long.parseLong(members.getFirst().call("single leased")) / 1e3);
      }
      return "\n%s, %,d random keys:\n\n%s\n%s, one key:\n\n%s"
          .formatted(title, MemberMain.KEYS, uniform, title, hot);
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
