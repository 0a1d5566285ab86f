package io.headgate.cluster;

import io.headgate.CheckResult;
import io.headgate.Costs;
import io.headgate.RateLimiter;
import io.headgate.ReservationState;
import io.headgate.cluster.internal.GridNode;
import io.headgate.cluster.internal.NodeSettings;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Consistency;
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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.Collectors;

/**
 * A member in a process of its own. Reads one command per line from standard input and writes one
 * line for each.
 */
final class MemberMain {
  /** The limit of each key, in a window that does not end during a test. */
  static final long LIMIT = 3_000;

  /** The limit of each key of the rule {@code large}, which paced callers exhaust in seconds. */
  static final long LARGE_LIMIT = 8_000;

  /** The pause of a caller between checks, so that members that fail over have the CPU. */
  private static final long PAUSE_NANOS = Duration.ofMillis(5).toNanos();

  /** Longer than the default, since a busy machine may pause for longer. */
  private static final Duration DEADLINE = Duration.ofSeconds(2);

  private static final AtomicBoolean EXPELLED = new AtomicBoolean();
  private static final Logger LOG = Logger.getLogger("io.headgate.cluster");

  /** Notices that this member was expelled. */
  private static final class ExpulsionHandler extends Handler {
    @Override
    public void publish(LogRecord message) {
      if (String.valueOf(message.getMessage()).contains("was expelled")) EXPELLED.set(true);
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  private final ClusterStore store;
  private final RateLimiter limiter;
  private final AtomicBoolean running = new AtomicBoolean();
  private final List<Thread> callers = new ArrayList<>();
  private final AtomicLong allowed = new AtomicLong();
  private final AtomicLong denied = new AtomicLong();
  private final AtomicLong fallback = new AtomicLong();
  private final AtomicLong errors = new AtomicLong();
  private final AtomicLong worst = new AtomicLong();

  private MemberMain(ClusterStore store) {
    this.store = store;
    var limit = FixedWindow.of(Rate.perDay(LIMIT));
    this.limiter =
        RateLimiter.with(
            store,
            RuleSet.of(
                Rule.named("strict")
                    .match("strict", "*")
                    .limit(limit)
                    .onStoreFailure(new FailurePolicy.Deny())
                    .build(),
                Rule.named("large")
                    .match("large", "*")
                    .limit(FixedWindow.of(Rate.perDay(LARGE_LIMIT)))
                    .onStoreFailure(new FailurePolicy.Deny())
                    .build(),
                Rule.named("leased")
                    .match("leased", "*")
                    .limit(limit)
                    .consistency(Consistency.LEASED)
                    .onStoreFailure(new FailurePolicy.Deny())
                    .build(),
                Rule.named("spanning")
                    .match("spanning", "*")
                    .match("other", "*")
                    .limit(limit)
                    .onStoreFailure(new FailurePolicy.Deny())
                    .build()));
  }

  /**
   * Joins with {@code port members name}, and nothing, a secret, {@code certificate key authority},
   * or {@code wire VERSION}.
   */
  public static void main(String[] args) throws Exception {
    LOG.addHandler(new ExpulsionHandler());
    var options = ClusterOptions.builder(args[1]).port(Integer.parseInt(args[0])).name(args[2]);
    options.patience(Duration.ofSeconds(5)).deadline(DEADLINE);
    var environment = System.getenv();
    if (environment.containsKey("MEMBER_HOST")) options.host(environment.get("MEMBER_HOST"));
    if (environment.containsKey("MEMBER_MEMORY")) {
      options.memory(Path.of(environment.get("MEMBER_MEMORY")));
    }
    if (args.length == 4) options.secret(args[3]);
    if (args.length == 6) {
      options.certificates(
          new MemberCertificates(Path.of(args[3]), Path.of(args[4]), Path.of(args[5])));
    }
    MemberMain member;
    try {
      if (args.length == 5) joinWithWireVersion(options.build(), Integer.parseInt(args[4]));
      member = new MemberMain(ClusterStore.join(options.build()));
    } catch (IllegalArgumentException | IllegalStateException e) {
      System.out.println(e.getMessage());
      System.exit(2);
      return;
    }
    System.out.println("joined");
    var in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line; (line = in.readLine()) != null; ) {
      System.out.println(member.execute(line.split(" ", -1)));
    }
    System.exit(0);
  }

  private static void joinWithWireVersion(ClusterOptions options, int version) {
    GridNode.start(
        new NodeSettings(
            options.name(),
            options.host(),
            options.port(),
            0,
            options.join().stream()
                .map(each -> new NodeSettings.HostPort(each.host(), each.port()))
                .toList(),
            Optional.empty(),
            1,
            options.maxBytes(),
            options.patience(),
            OptionalInt.empty(),
            Optional.empty(),
            version));
  }

  private String execute(String[] words) throws InterruptedException {
    return switch (words[0]) {
      case "start" -> start(words[1], words[2], Integer.parseInt(words[3]));
      case "stop" -> stop();
      case "run" -> run(words[1], words[2], Long.parseLong(words[3]));
      case "counts" -> counts();
      case "reset" -> {
        limiter.reset(Subject.of(words[1], words[2]), words[1]);
        yield "reset";
      }
      case "status" -> {
        ClusterStatus status;
        try {
          status = store.status();
        } catch (IllegalStateException e) {
          yield "1 0 false 0 0 0 false"; // it joins anew
        }
        yield "%d %d %s %d %d %d %s"
            .formatted(
                status.members().size(),
                status.expected(),
                status.majority() && !store.isUnavailable(),
                status.unowned(),
                status.unbacked(),
                status.unreachable().size(),
                status.majority());
      }
      case "reserve" -> {
        var request = Request.of(subject(words[1], words[2]), Long.parseLong(words[3]));
        yield limiter
            .reserve(request, Duration.ofSeconds(Long.parseLong(words[4])))
            .id()
            .orElse("");
      }
      case "report" ->
          limiter
              .reservations()
              .update(words[1], Costs.plain(Long.parseLong(words[2])), Costs.NONE)
              .getClass()
              .getSimpleName();
      case "open" -> Long.toString(limiter.reservations().openCount());
      case "settle" -> {
        var actual = Costs.plain(Long.parseLong(words[2]));
        yield switch (limiter.reservations().settle(words[1], actual)) {
          case ReservationState.Settled settled ->
              settled.limits().stream()
                  .map(limit -> Long.toString(limit.charged()))
                  .collect(Collectors.joining(" "));
          case ReservationState other -> other.toString();
        };
      }
      case "left" ->
          limiter.peek(Request.of(subject(words[1], words[2]))).limits().stream()
              .map(limit -> Long.toString(limit.remaining()))
              .collect(Collectors.joining(" "));
      case "drop" -> {
        GridCaches.dropCounters();
        yield "dropped";
      }
      case "problem" -> store.lastProblem().orElse("");
      case "expelled" -> Boolean.toString(EXPELLED.get());
      case "marked" -> Long.toString(GridMarks.count());
      case "leave" -> {
        store.close();
        yield "left";
      }
      default -> throw new IllegalArgumentException(words[0]);
    };
  }

  private static Subject subject(String rule, String key) {
    return rule.equals("spanning")
        ? Subject.of(java.util.Map.of("strict", key, "spanning", key, "other", key))
        : Subject.of(rule, key);
  }

  private String start(String rule, String key, int threads) {
    clear();
    running.set(true);
    var request = Request.of(subject(rule, key));
    for (int i = 0; i < threads; i++) {
      callers.add(
          Thread.ofPlatform()
              .start(() -> {
                while (running.get()) {
                  check(request);
                  LockSupport.parkNanos(PAUSE_NANOS);
                }
              }));
    }
    return "started";
  }

  private String stop() throws InterruptedException {
    running.set(false);
    for (var caller : callers) caller.join();
    callers.clear();
    return counts();
  }

  private String run(String rule, String key, long count) throws InterruptedException {
    clear();
    var request = Request.of(subject(rule, key));
    var left = new AtomicLong(count);
    var threads = new ArrayList<Thread>();
    for (int i = 0; i < 8; i++) {
      threads.add(
          Thread.ofPlatform()
              .start(() -> {
                while (left.getAndDecrement() > 0) check(request);
              }));
    }
    for (var thread : threads) thread.join();
    return counts();
  }

  private void clear() {
    for (var count : List.of(allowed, denied, fallback, errors, worst)) count.set(0);
  }

  private void check(Request request) {
    long since = System.nanoTime();
    try {
      CheckResult result = limiter.checkForResult(request);
      if (result.source() == Source.FALLBACK) fallback.incrementAndGet();
      else (result.decision().isAllowed() ? allowed : denied).incrementAndGet();
    } catch (RuntimeException e) {
      e.printStackTrace();
      errors.incrementAndGet();
    }
    worst.accumulateAndGet((System.nanoTime() - since) / 1_000_000, Math::max);
  }

  private String counts() {
    return "%d %d %d %d %d"
        .formatted(allowed.get(), denied.get(), fallback.get(), errors.get(), worst.get());
  }
}
