package io.headgate.server;

import io.headgate.rule.FailurePolicy;
import io.headgate.rule.Mode;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.server.stats.FallbackStats;
import io.headgate.server.store.StoreView;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.slf4j.Logger;

/**
 * Logs that checks pass without being counted, because the store is unavailable and rules fail
 * open. Names the rules, so that a limit that protects something is not open unnoticed. One warning
 * in the first second, then one a minute with the total, and one line at the end.
 *
 * <p>Confined to the thread of the statistics.
 */
final class FallbackLog {
  static final long INTERVAL_MILLIS = 60_000;
  private static final int MAX_NAMED = 20;

  private final StoreView store;
  private final Supplier<RuleSet> rules;
  private final Duration grpcDeadline;
  private final Logger log;
  private FallbackStats logged = FallbackStats.NONE;
  private FallbackStats latest = FallbackStats.NONE;
  private long loggedAt;

  /**
   * @param rules supplies the rules in force
   * @param grpcDeadline how long a check over gRPC waits for the store
   */
  FallbackLog(StoreView store, Supplier<RuleSet> rules, Duration grpcDeadline, Logger log) {
    this.store = store;
    this.rules = rules;
    this.grpcDeadline = grpcDeadline;
    this.log = log;
  }

  /**
   * Handles the statistics of one second.
   *
   * @param nowMillis the end of the second
   */
  void onSecond(long nowMillis, FallbackStats current) {
    var last = latest;
    latest = current;
    if (!current.isOutage()) {
      if (logged.isOutage()) {
        log.info("{} decides all checks again; {} passed uncounted in all", name(), checks(last));
      }
      logged = FallbackStats.NONE;
      return;
    }
    if (current.uncounted() == logged.uncounted()) return;
    if (logged.isOutage() && nowMillis - loggedAt < INTERVAL_MILLIS) return;
    logged = current;
    loggedAt = nowMillis;
    log.warn(
        "{} passed uncounted since {}, because {} did not decide ({}). Rules that fail open: {}."
            + " Set on-store-failure: local to enforce them meanwhile.{}",
        checks(current),
        Instant.ofEpochMilli(current.sinceMillis()),
        name(),
        store.lastProblem().orElse("no reply"),
        failOpen(),
        timeoutAdvice());
  }

  private static String checks(FallbackStats stats) {
    return stats.uncounted() == 1
        ? "1 check"
        : String.format(Locale.ROOT, "%,d checks", stats.uncounted());
  }

  private String name() {
    return store.address().orElse("the store");
  }

  private String timeoutAdvice() {
    return store
        .timeout()
        .map(timeout -> timeoutAdvice(store.kind(), timeout, grpcDeadline))
        .orElse("");
  }

  /**
   * Returns what to do if the store is fast. Checks over HTTP and over gRPC wait for different
   * times, and a failure is not known to be of the one or the other, so both options are named.
   */
  static String timeoutAdvice(String kind, Duration timeout, Duration grpcDeadline) {
    var option = kind.equals("cluster") ? "--cluster-timeout" : "--store-timeout";
    return (" If the store itself is fast, this process lacks CPU: give it more, or raise %s (now %d"
            + " ms), or --grpc-deadline (now %d ms) for checks over gRPC")
        .formatted(option, timeout.toMillis(), grpcDeadline.toMillis());
  }

  private String failOpen() {
    List<String> ids =
        rules.get().rules().stream()
            .filter(rule -> rule.mode() == Mode.ENFORCE && failsOpen(rule))
            .map(Rule::id)
            .toList();
    String named = String.join(", ", ids.subList(0, Math.min(MAX_NAMED, ids.size())));
    if (ids.isEmpty()) return "none any more";
    return ids.size() <= MAX_NAMED
        ? named
        : named + " and %d more".formatted(ids.size() - MAX_NAMED);
  }

  private static boolean failsOpen(Rule rule) {
    return switch (rule.onStoreFailure()) {
      case FailurePolicy.Allow allow -> true;
      case FailurePolicy.AllowThenDeny allowThenDeny -> true;
      case FailurePolicy.Deny deny -> false;
      case FailurePolicy.Local local -> false;
    };
  }
}
