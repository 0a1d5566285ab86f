package io.headgate.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.testkit.ConcurrentRunner;
import io.headgate.testkit.Limits;
import io.headgate.testkit.ManualTicker;
import io.headgate.testkit.TestEffort;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Tests eviction under a flood of invented keys. */
class FloodTest {
  private static final int MAX_KEYS = 10_000;
  private static final int LIMITED = 100;

  private final ManualTicker clock = ManualTicker.create();

  @Test
  void inventedKeysStayWithinMemoryAndEvictNoLimitedCaller() {
    try (var store = MemoryStore.create(clock, MAX_KEYS)) {
      var rules = rules(TokenBucket.of(Rate.perHour(10)));
      var limited = limitedCallers(store, rules);
      long before = heapInUse();
      int invented = TestEffort.of(800_000, 2_000_000);
      int admitted = 0;
      for (int i = 0; i < invented; i++) {
        if (check(store, rules, "invented" + i)) admitted++;
        if (i % 100 == 0) clock.sleep(1_000);
        if (i % 10_000 == 0) assertThat(store.trackedKeys()).isLessThanOrEqualTo(MAX_KEYS);
      }
      assertThat(admitted).isEqualTo(invented);
      assertThat(heapInUse() - before).isLessThan(32 << 20); // all would take 100 bytes each
      assertThat(store.trackedKeys()).isBetween(MAX_KEYS * 9L / 10, (long) MAX_KEYS);
      assertThat(limited).allMatch(caller -> !check(store, rules, caller));
    }
  }

  static Stream<Limit> everyKind() {
    return Limits.ofEveryKind(10).stream();
  }

  @ParameterizedTest
  @MethodSource("everyKind")
  void limitedCallersStayLimitedForEveryAlgorithm(Limit limit) {
    try (var store = MemoryStore.create(clock, 1_000)) {
      var rules = rules(limit);
      var limited = limitedCallers(store, rules);
      for (int i = 0; i < TestEffort.of(20_000, 50_000); i++) check(store, rules, "invented" + i);
      assertThat(limited).allMatch(caller -> !check(store, rules, caller));
    }
  }

  @Test
  void concurrentFloodStaysWithinTheMaximum() throws Exception {
    try (var store = MemoryStore.create(clock, 1_000)) {
      var rules = rules(TokenBucket.of(Rate.perHour(10)));
      var limited = limitedCallers(store, rules);
      var invented = new AtomicInteger();
      ConcurrentRunner.PLATFORM.sum(member -> {
        for (int i = 0; i < 20_000; i++) {
          check(store, rules, "invented" + invented.incrementAndGet());
          if (i % 100 == 0) {
            assertThat(store.trackedKeys()).isLessThanOrEqualTo(1_000);
            assertThat(check(store, rules, limited.get(i / 100 % LIMITED))).isFalse();
          }
        }
        return 0;
      });
      assertThat(limited).allMatch(caller -> !check(store, rules, caller));
    }
  }

  /** An attacker knows the code but not the secret key of the hash, and chooses colliding keys. */
  @Test
  void keysOfEqualHashCodeEvictNoChosenVictim() {
    try (var store = MemoryStore.create(clock, 100_000)) {
      var rules = rules(TokenBucket.of(Rate.perHour(5)));
      var keys = keysOfOneHashCode(12);
      assertThat(keys.stream().map(String::hashCode).distinct()).hasSize(1);
      var victim = keys.getFirst();
      while (check(store, rules, victim)) {}
      for (var key : keys.subList(1, keys.size())) {
        while (check(
            store, rules, key)) {} // refused too, so that no other state is a better victim
        assertThat(check(store, rules, victim)).isFalse();
      }
      assertThat(store.trackedKeys()).isEqualTo(keys.size());
    }
  }

  @Test
  void planWithMoreCountersThanTheMaximumIsDecided() {
    for (int maxKeys = 1; maxKeys <= 8; maxKeys++) {
      try (var store = MemoryStore.create(clock, maxKeys)) {
        var several = new ArrayList<Rule>();
        for (int i = 0; i < 6; i++) {
          several.add(Rule.named("r" + i).per("key").limit(Limits.ofEveryKind(10).get(i)).build());
        }
        var rules = RuleSet.of(several);
        for (int i = 0; i < 1_000; i++) {
          assertThat(check(store, rules, "k" + i)).isTrue();
          assertThat(store.trackedKeys()).isLessThanOrEqualTo(Math.max(maxKeys, 6));
        }
      }
    }
  }

  @Test
  void concurrentPlansAreDecidedInAFullStore() throws Exception {
    for (var runner : ConcurrentRunner.values()) {
      try (var store = MemoryStore.create(clock, 2)) {
        var rules =
            RuleSet.of(
                Rule.named("a").per("key").limit(TokenBucket.of(Rate.perHour(10))).build(),
                Rule.named("b").per("key").limit(Limits.ofEveryKind(10).getLast()).build(),
                Rule.named("c").per().limit(TokenBucket.of(Rate.perHour(1_000_000))).build());
        long admitted =
            runner.sum(member -> {
              for (int i = 0; i < 4_000 / runner.size(); i++) {
                assertThat(check(store, rules, member + "/" + i)).isTrue();
              }
              return 4_000 / runner.size();
            });
        assertThat(admitted).isEqualTo(4_000);
      }
    }
  }

  private static RuleSet rules(Limit limit) {
    return RuleSet.of(Rule.named("rule").per("key").limit(limit).build());
  }

  private static boolean check(Store store, RuleSet rules, String key) {
    var plan = rules.plan(Request.of(Subject.of(key)), 0, 0);
    return plan.allows(store.decide(plan).outcomes());
  }

  private static List<String> limitedCallers(Store store, RuleSet rules) {
    var callers = new ArrayList<String>();
    for (int i = 0; i < LIMITED; i++) {
      callers.add("limited" + i);
      while (check(store, rules, callers.getLast())) {}
    }
    return callers;
  }

  /** "Aa" and "BB" have the same hash code, and so do all strings of {@code pairs} of them. */
  private static List<String> keysOfOneHashCode(int pairs) {
    var keys = new ArrayList<String>();
    for (int bits = 0; bits < 1 << pairs; bits++) {
      var key = new StringBuilder();
      for (int i = 0; i < pairs; i++) key.append((bits >> i & 1) == 0 ? "Aa" : "BB");
      keys.add(key.toString());
    }
    return keys;
  }

  private static long heapInUse() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }
}
