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

  /** A number of callers with which the messages of all members are well filled. */
  private static final int MANY = 512;

  private static final Duration WARM_UP_PART = Duration.ofSeconds(4);

  /** The compilers are at rest if they work for less than this part of the time. */
  private static final double MAX_COMPILING = 0.1;

  /**
   * The durations of the measurements.
   *
   * @param members the largest number of members
   * @param warmUp the most for each limiter, with many keys and again with one. It ends earlier
   *     when the compilers of the members have come to rest: on two cores the code of the grid in
   *     three processes takes them a minute, in which they use most of the CPU
   */
  public record Pace(int members, Duration warmUp, int rounds, Duration turn) {
    /** Returns the pace of a report: three to eight minutes on a machine at rest. */
    public static Pace of(boolean full) {
      return full
          ? new Pace(3, Duration.ofSeconds(90), 5, Duration.ofSeconds(1))
          : new Pace(3, Duration.ofSeconds(20), 3, Duration.ofMillis(600));
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
    of %d or %d callers in a closed loop. The callers of the same processes use Redis in alternating turns: medians of %d
    turns of %d ms, after a warm-up of at most %d s that ends when the compilers of the JVMs have come to rest. CPU, per decision, is that of all processes and of Redis. Token bucket, one strict
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
            MANY,
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
                MemberMain.class, List.of(Integer.toString(ports.get(i)), join, name, redis.uri()));
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
      var uniform = table(members, MemberMain.KEYS, Callers.COUNT);
      var many = table(members, MemberMain.KEYS, MANY);
      var hot = table(members, 1, Callers.COUNT);
      if (count == 1) {
        strict.add(Long.parseLong(members.getFirst().call("single strict")) / 1e3);
        leased.add(Long.parseLong(members.getFirst().call("single leased")) / 1e3);
      }
      return "\n%s, %,d random keys:\n\n%s\n%s, %,d random keys, %d callers:\n\n%s\n%s, one key:\n\n%s"
          .formatted(
              title, MemberMain.KEYS, uniform, title, MemberMain.KEYS, MANY, many, title, hot);
    } finally {
      members.forEach(Member::close);
      redis.call("FLUSHALL", "SYNC");
    }
  }

  private Table table(List<Member> members, int keys, int callers) throws IOException {
    Map<Limiter, List<SpeedTurn>> turns = new EnumMap<>(Limiter.class);
    for (var limiter : Limiter.values()) {
      warmUp(members, limiter, keys, callers);
      turns.put(limiter, new ArrayList<>());
    }
    for (int round = 0; round < pace.rounds; round++) {
      turns.forEach((limiter, all) -> {
        try {
          var turn = turn(members, limiter, keys, callers, pace.turn);
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

  /** Runs the callers until the compilers of all members have come to rest, or the time is over. */
  private void warmUp(List<Member> members, Limiter limiter, int keys, int callers)
      throws IOException {
    var part = pace.warmUp.compareTo(WARM_UP_PART) < 0 ? pace.warmUp : WARM_UP_PART;
    var left = pace.warmUp;
    long before = compilerMillis(members);
    do {
      turn(members, limiter, keys, callers, part);
      left = left.minus(part);
      long after = compilerMillis(members);
      if (after - before < MAX_COMPILING * members.size() * part.toMillis()) break;
      before = after;
    } while (left.isPositive());
    progress.log("    %s: warm after %s".formatted(limiter, pace.warmUp.minus(left)));
  }

  private static long compilerMillis(List<Member> members) throws IOException {
    long sum = 0;
    for (var member : members) sum += Long.parseLong(member.call("compiled"));
    return sum;
  }

  /** Runs the callers of all members at the same time. */
  private SpeedTurn turn(
      List<Member> members, Limiter limiter, int keys, int callers, Duration time)
      throws IOException {
    double before = redis.cpuSeconds() * 1e6;
    for (var member : members) {
      member.send(
          "run %s %d %d %d".formatted(limiter, keys, callers / members.size(), time.toMillis()));
    }
    var turns = new ArrayList<SpeedTurn>();
    for (var member : members) turns.add(SpeedTurn.decode(member.read()));
    return SpeedTurn.together(turns).plusCpu(redis.cpuSeconds() * 1e6 - before);
  }

  private static Measurement rate(List<SpeedTurn> turns) {
    return Measurement.of(turns.stream().mapToDouble(SpeedTurn::perSecond).toArray());
  }

  private static String median(List<SpeedTurn> turns, ToDoubleFunction<SpeedTurn> what) {
    double median = Measurement.of(turns.stream().mapToDouble(what).toArray()).median();
    return String.format(Locale.ROOT, median < 100 ? "%.1f" : "%,.0f", median);
  }
}
