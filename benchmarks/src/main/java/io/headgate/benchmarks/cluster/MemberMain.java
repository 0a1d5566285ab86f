package io.headgate.benchmarks.cluster;

import com.sun.management.OperatingSystemMXBean;
import io.headgate.benchmarks.Callers;
import io.headgate.benchmarks.HeadgateRemote;
import io.headgate.benchmarks.Quota;
import io.headgate.benchmarks.Remote;
import io.headgate.benchmarks.RemoteLimiter;
import io.headgate.cluster.ClusterOptions;
import io.headgate.cluster.ClusterStore;
import io.headgate.rule.Consistency;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.Subject;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/**
 * A member of a cluster with callers of its own, in a process of its own. Reads one command per
 * line, and writes one line for each that begins with {@link #PREFIX}.
 */
public final class MemberMain {
  static final String PREFIX = "> ";
  static final int KEYS = 10_000;
  private static final int WARM_UP_CHECKS = 20_000;
  private static final int CHECKS = 20_000;

  /** What the callers of a turn call. */
  enum Limiter {
    SCRIPT("Redis, one GCRA script a call"),
    REDIS("Headgate on Redis"),
    CLUSTER("**Headgate on the cluster**");

    final String title;

    Limiter(String title) {
      this.title = title;
    }
  }

  private final Map<Integer, Callers> callers = new HashMap<>(); // by their number
  private final Map<Limiter, Remote> remotes = new EnumMap<>(Limiter.class);

  /** Joins with the arguments port, members, name of the cluster and URI of a Redis. */
  public static void main(String[] args) {
    try {
      run(args);
      System.exit(0);
    } catch (Exception | Error e) {
      e.printStackTrace();
      System.exit(1); // threads of the grid would keep the process
    }
  }

  private static void run(String[] args) throws Exception {
    var options =
        ClusterOptions.builder(args[1])
            .port(Integer.parseInt(args[0]))
            .name(args[2])
            .deadline(HeadgateRemote.DEADLINE);
    long before = System.nanoTime();
    var store = ClusterStore.join(options.build());
    long joining = (System.nanoTime() - before) / 1_000_000;
    long running = System.currentTimeMillis() - ManagementFactory.getRuntimeMXBean().getStartTime();
    write("%d %d".formatted(running, joining));
    var main = new MemberMain();
    var leased =
        Rule.named("leased")
            .match("leased", "*")
            .limit(Quota.GENEROUS.headgate())
            .consistency(Consistency.LEASED)
            .build();
    main.remotes.put(
        Limiter.CLUSTER,
        HeadgateRemote.open(store, "cluster", List.of(Quota.SLOW.headgate()), KEYS, 1, leased));
    main.remotes.put(Limiter.SCRIPT, RemoteLimiter.ONE_CALL.open(args[3], "n", Quota.SLOW, KEYS));
    main.remotes.put(Limiter.REDIS, RemoteLimiter.HEADGATE.open(args[3], "n", Quota.SLOW, KEYS));
    write("ready");
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = in.readLine()) != null; ) {
      var words = line.split(" ", -1);
      switch (words[0]) {
        case "run" ->
            write(
                main.run(
                        Limiter.valueOf(words[1]),
                        Integer.parseInt(words[2]),
                        Integer.parseInt(words[3]),
                        Duration.ofMillis(Integer.parseInt(words[4])))
                    .encode());
        case "compiled" ->
            write(
                Long.toString(ManagementFactory.getCompilationMXBean().getTotalCompilationTime()));
        case "status" -> {
          var status = store.status();
          write("%d %d".formatted(status.members().size(), status.unowned() + status.unbacked()));
        }
        case "single" -> write(main.single(words[1]));
        default -> throw new IllegalArgumentException(line);
      }
    }
  }

  private static void write(String line) {
    System.out.println(PREFIX + line);
  }

  private SpeedTurn run(Limiter limiter, int keys, int count, Duration time) throws Exception {
    var remote = remotes.get(limiter);
    if (remote == null) throw new IllegalArgumentException("no limiter " + limiter);
    var before = cpu();
    var outcome = callers.computeIfAbsent(count, Callers::new).run(remote, randomKeys(keys), time);
    return SpeedTurn.of(outcome, cpu().minus(before));
  }

  static Supplier<IntSupplier> randomKeys(int keys) {
    return () -> {
      var random = new SplittableRandom();
      return () -> random.nextInt(keys);
    };
  }

  private static Duration cpu() {
    var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return Duration.ofNanos(system.getProcessCpuTime());
  }

  /**
   * Returns the median time of a check of one thread, one after the other, in ns.
   *
   * @param consistency that of the rule, strict or leased
   */
  private String single(String consistency) {
    var remote = (HeadgateRemote) remotes.get(Limiter.CLUSTER);
    if (remote == null) throw new IllegalStateException("no cluster");
    boolean leased = consistency.equals("leased");
    var limiter = remote.limiter();
    // A lease is of one counter, so that it is used by many checks.
    var requests = leased ? List.of(Request.of(Subject.of("leased", "one"))) : remote.requests();
    for (int i = 0; i < WARM_UP_CHECKS; i++) limiter.check(requests.get(i % requests.size()));
    var nanos = new long[CHECKS];
    for (int i = 0; i < CHECKS; i++) {
      long since = System.nanoTime();
      limiter.check(requests.get(i % requests.size()));
      nanos[i] = System.nanoTime() - since;
    }
    Arrays.sort(nanos);
    return Long.toString(nanos[CHECKS / 2]);
  }
}
