package io.headgate.benchmarks.cluster;

import io.headgate.RateLimiter;
import io.headgate.cluster.ClusterOptions;
import io.headgate.cluster.ClusterStore;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.FailurePolicy;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.Source;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * A member of a cluster whose callers check all the time, in a process of its own. Its rules deny
 * while the cluster is unavailable, so that every admission was charged.
 */
public final class FaultMemberMain {
  static final String UNKNOWN = "unknown";
  static final int CALLERS = 4;
  static final long PER_SECOND = 50;
  static final long AMPLE = 1_000_000_000;
  static final int PHASES = 3;
  private static final int PRECISION = 2;
  private static final long PAUSE_MILLIS = 10;

  private final ClusterStore store;
  private final RateLimiter limiter;
  private final Path directory;
  private final List<Thread> callers = new ArrayList<>();
  private final Histogram[] latencies = new Histogram[PHASES]; // guarded by this
  private final long[] fallback = new long[PHASES]; // guarded by this
  private final long[] errors = new long[PHASES]; // guarded by this
  private long lastFallback; // milliseconds of the wall clock; guarded by this
  private volatile boolean running;
  private volatile int phase;

  private FaultMemberMain(ClusterStore store, Path directory) {
    this.store = store;
    this.directory = directory;
    var deny = new FailurePolicy.Deny();
    this.limiter =
        RateLimiter.with(
            store,
            RuleSet.of(
                Rule.named("scarce")
                    .match("scarce", "*")
                    .limit(TokenBucket.of(Rate.perSecond(PER_SECOND)))
                    .onStoreFailure(deny)
                    .build(),
                Rule.named("ample")
                    .match("ample", "*")
                    .limit(FixedWindow.of(Rate.perDay(AMPLE)))
                    .onStoreFailure(deny)
                    .build()));
  }

  /** Joins with the arguments host, port, members, name, secret or "-", and a directory. */
  public static void main(String[] args) {
    try {
      var options =
          ClusterOptions.builder(args[2])
              .host(args[0])
              .port(Integer.parseInt(args[1]))
              .name(args[3]);
      if (!args[4].equals("-")) options.secret(args[4]);
      var main = new FaultMemberMain(ClusterStore.join(options.build()), Path.of(args[5]));
      write("joined");
      var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line; (line = in.readLine()) != null; ) write(main.execute(line.split(" ", -1)));
      System.exit(0);
    } catch (Exception | Error e) {
      e.printStackTrace();
      System.exit(1); // threads of the grid would keep the process
    }
  }

  private static void write(String line) {
    System.out.println(MemberMain.PREFIX + line);
  }

  private String execute(String[] words) throws Exception {
    return switch (words[0]) {
      case "begin" -> begin(words[1], Integer.parseInt(words[2]));
      case "phase" -> {
        phase = Integer.parseInt(words[1]);
        yield "phase";
      }
      case "end" -> end();
      case "status" -> {
        var status = store.status();
        boolean complete = status.unowned() + status.unbacked() == 0;
        yield status.members().size()
            + (status.majority() && !store.isUnavailable() && complete ? " sound" : " unsound");
      }
      case "charged" -> {
        var reply = limiter.checkForResult(Request.of(Subject.of("ample", words[1])));
        if (reply.source() == Source.FALLBACK) yield UNKNOWN;
        // This check is charged too.
        yield Long.toString(AMPLE - reply.limits().getFirst().remaining() - 1);
      }
      case "leave" -> {
        halt();
        store.close();
        yield "left";
      }
      default -> throw new IllegalArgumentException(words[0]);
    };
  }

  private String begin(String key, int number) throws Exception {
    synchronized (this) {
      for (int i = 0; i < PHASES; i++) latencies[i] = new Histogram(PRECISION);
      java.util.Arrays.fill(fallback, 0);
      java.util.Arrays.fill(errors, 0);
      lastFallback = 0;
    }
    phase = 0;
    running = true;
    var counts =
        FaultCounts.open(
            directory.resolve(key + "-" + number + "-" + ProcessHandle.current().pid()));
    var scarce = Request.of(Subject.of("scarce", key));
    var ample = Request.of(Subject.of("ample", key));
    for (int i = 0; i < CALLERS; i++) {
      callers.add(Thread.ofPlatform().daemon().start(() -> call(scarce, ample, counts)));
    }
    return "began";
  }

  private void call(Request scarce, Request ample, FaultCounts counts) {
    for (boolean first = true; running; first = !first) {
      long since = System.nanoTime();
      boolean byPolicy = false;
      boolean failed = false;
      try {
        var result = limiter.checkForResult(first ? scarce : ample);
        byPolicy = result.source() == Source.FALLBACK;
        if (!byPolicy && result.isAllowed()) counts.admitted(first);
      } catch (RuntimeException e) {
        e.printStackTrace();
        failed = true;
      }
      record(System.nanoTime() - since, byPolicy, failed);
      try {
        Thread.sleep(PAUSE_MILLIS);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /** Records a check in the phase in which it ends. */
  private synchronized void record(long nanos, boolean byPolicy, boolean failed) {
    int during = phase;
    latencies[during].recordValue(nanos);
    if (failed) errors[during]++;
    if (!byPolicy) return;
    fallback[during]++;
    lastFallback = System.currentTimeMillis();
  }

  private void halt() throws InterruptedException {
    running = false;
    for (var caller : callers) caller.join();
    callers.clear();
  }

  private String end() throws InterruptedException {
    halt();
    synchronized (this) {
      var text = new StringBuilder(Long.toString(lastFallback));
      for (int i = 0; i < PHASES; i++) {
        text.append(' ').append(new FaultPhase(latencies[i], fallback[i], errors[i]).encode());
      }
      return text.toString();
    }
  }
}
