package io.headgate.server.rules.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.server.rules.ChangeInfo;
import io.headgate.server.rules.ExpectedRevision;
import io.headgate.server.rules.RuleRepository;
import io.headgate.testkit.Eventually;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Measures 10,000 rules and their revisions. With {@code -Dheadgate.revisions=100} it prints the
 * figures quoted in the documentation.
 */
class ManyRulesTest {
  private static final int RULES = 10_000;
  private static final int REVISIONS = Integer.getInteger("headgate.revisions", 4);
  private static final Duration POLL_INTERVAL = Duration.ofMillis(20);
  private static final Duration TIMEOUT = Duration.ofSeconds(60);
  private static final ChangeInfo AUTHOR = new ChangeInfo("author", "");

  @TempDir Path folder;

  private static Rule rule(int i, long rate) {
    return Rule.named("tenant-" + i)
        .description("The quota of tenant %d.".formatted(i))
        .match("tenant", "t" + i)
        .match("user", "*")
        .limit(TokenBucket.of(Rate.of(rate, Duration.ofMinutes(1))))
        .build();
  }

  private RuleRepository open(DatabaseAddress address, String snapshotFile, RuleSet seed) {
    var settings =
        new DatabaseRuleRepository.Settings(
            address,
            folder.resolve(snapshotFile),
            POLL_INTERVAL,
            Optional.empty(),
            InstantSource.system());
    return DatabaseRuleRepository.open(settings, new Seed(seed, AUTHOR));
  }

  private static long millisSince(long start) {
    return (System.nanoTime() - start) / 1_000_000;
  }

  private static String summary(List<Long> millis) {
    var sorted = millis.stream().mapToLong(Long::longValue).toArray();
    Arrays.sort(sorted);
    return "median %d ms, longest %d ms"
        .formatted(sorted[sorted.length / 2], sorted[sorted.length - 1]);
  }

  @Test
  void tenThousandRulesInH2() {
    run("H2", DatabaseAddress.parse("h2:rules", folder));
  }

  @Test
  void tenThousandRulesInPostgresql() {
    var address = PostgresServer.shared().newDatabase();
    run("PostgreSQL", DatabaseAddress.parse(address, folder));
  }

  private void run(String name, DatabaseAddress address) {
    var seed = RuleSet.of(IntStream.range(0, RULES).mapToObj(i -> rule(i, 100)).toList());
    long start = System.nanoTime();
    var edits = new ArrayList<Long>();
    var propagations = new ArrayList<Long>();
    long list;
    long old;
    long history;
    try (var repository = open(address, "a.json", seed);
        var other = open(address, "b.json", seed)) {
      print("%s: first start with %,d rules: %d ms", name, RULES, millisSince(start));
      for (int i = 1; i < REVISIONS; i++) {
        int which = i * 97 % RULES;
        long rate = 100L + i;
        start = System.nanoTime();
        var stored =
            repository.change(ExpectedRevision.of(i), AUTHOR, rules -> edited(rules, which, rate));
        edits.add(millisSince(start));
        start = System.nanoTime();
        long end = start + TIMEOUT.toNanos();
        while (other.inForce().number() < stored.number() && System.nanoTime() < end) {
          LockSupport.parkNanos(2_000_000);
        }
        propagations.add(millisSince(start));
      }
      start = System.nanoTime();
      assertThat(other.latest().rules().rules()).hasSize(RULES);
      list = millisSince(start);
      start = System.nanoTime();
      assertThat(repository.at(REVISIONS / 2).rules().rules()).hasSize(RULES);
      old = millisSince(start);
      start = System.nanoTime();
      assertThat(repository.history(Long.MAX_VALUE, REVISIONS)).hasSize(REVISIONS);
      history = millisSince(start);
      Eventually.holds("they agree", TIMEOUT, () -> other.inForce().number() == REVISIONS);
      assertThat(other.inForce().rules().rules()).isEqualTo(repository.inForce().rules().rules());
    }
    print("%s: edit of one rule: %s", name, summary(edits));
    print(
        "%s: until another instance enforces it, polling every 20 ms: %s",
        name, summary(propagations));
    print("%s: latest %d ms, an old revision %d ms, history %d ms", name, list, old, history);
    start = System.nanoTime();
    try (var repository = open(address, "a.json", seed)) {
      print(
          "%s: restart with %,d rules and %d revisions: %d ms",
          name, RULES, REVISIONS, millisSince(start));
      assertThat(repository.inForce().number()).isEqualTo(REVISIONS);
      assertThat(repository.inForce().rules().rules()).hasSize(RULES);
    }
  }

  private static List<Rule> edited(List<Rule> rules, int which, long rate) {
    var next = new ArrayList<>(rules);
    next.set(which, rule(which, rate));
    return next;
  }

  private static void print(String format, Object... values) {
    System.out.println(String.format(Locale.ROOT, format, values));
  }
}
