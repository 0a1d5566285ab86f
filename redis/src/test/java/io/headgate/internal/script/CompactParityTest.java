package io.headgate.internal.script;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.redis.internal.connection.TestConnections;
import io.headgate.rule.Combine;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.testkit.ManualTicker;
import io.headgate.testkit.ReferenceStore;
import io.headgate.testkit.TestEffort;
import io.headgate.testkit.redis.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs plans of several limits in Java and in Lua, in the layout compact, and compares every field
 * of the results, to the microsecond. Limits change their algorithms, so that states move between
 * the shared key and keys of their own.
 */
class CompactParityTest {
  private static final int STEPS = TestEffort.of(3_000, 40_000);
  private static final int LIMITS = 4;

  /** Lists the rest of the name of each state in a shared key. */
  private static final String FIELDS =
      """
      local states, names = {cmsgpack.unpack(redis.call('GET', KEYS[1]) or '')}, {}
      for i = 1, #states, 3 do names[#names + 1] = states[i] end
      return names
      """;

  private static BothLayouts layouts;
  private static RedisServer server;
  private static TestServer separate;
  private static TestServer compact;

  private final ManualTicker clock = ManualTicker.create();
  private final Random random = new Random(20_261_118);
  private ReferenceStore reference = new ReferenceStore(clock);

  @BeforeAll
  static void start() {
    layouts = BothLayouts.start();
    server = layouts.server();
    separate = layouts.separate();
    compact = layouts.compact();
  }

  @AfterAll
  static void stop() {
    layouts.close();
  }

  @BeforeEach
  void flush() {
    layouts.flush();
  }

  /** Small limits, and two whose states are too long for a shared key when they are full. */
  private static List<Limit> limits() {
    return Stream.concat(
            ParityTest.everyAlgorithm().filter(limit -> limit.capacity() <= 100),
            Stream.of(
                RollingWindow.of(Rate.of(400, Duration.ofSeconds(20))),
                SlidingWindow.of(Rate.of(90, Duration.ofSeconds(50))).withBuckets(250)))
        .toList();
  }

  static Stream<Combine> combinations() {
    return Stream.of(new Combine.All(), new Combine.Any(), new Combine.Weighted(400));
  }

  private static RuleSet rules(Combine combine, List<Limit> limits) {
    var several = Rule.named("several").match("key", "*").combine(combine);
    for (int i = 0; i < limits.size(); i++) {
      several.limit(RuleLimit.of("l" + i, limits.get(i)).withWeight(1 + i).withPer("key"));
    }
    var single = Rule.named("single").match("key", "*").limit(limits.getFirst());
    return RuleSet.of(several.build(), single.build());
  }

  private List<RuleSet> revisions(Combine combine, int count) {
    var revisions = new ArrayList<RuleSet>();
    for (int i = 0; i < count; i++) {
      var chosen = new ArrayList<Limit>();
      for (int j = 0; j < LIMITS; j++) {
        chosen.add(limits().get(random.nextInt(limits().size())));
      }
      revisions.add(rules(combine, chosen));
    }
    return revisions;
  }

  @ParameterizedTest
  @MethodSource("combinations")
  void severalLimitsReturnTheSameInLuaAsInJava(Combine combine) {
    for (var rules : revisions(combine, 8)) {
      clock.sleep(200_000_000);
      compare(List.of(rules), () -> 1 + random.nextInt(12), STEPS / 24, compact);
    }
  }

  @ParameterizedTest
  @MethodSource("combinations")
  void changedAlgorithmsReturnTheSameInLuaAsInJava(Combine combine) {
    compare(revisions(combine, 12), () -> 1 + random.nextInt(12), STEPS / 3, compact);
  }

  @Test
  void changedAlgorithmsReturnTheSameInBatchesOfOne() {
    compare(revisions(new Combine.All(), 12), () -> 1, STEPS / 6, compact);
  }

  /** All counters of a subject share a key, those of rules with one limit too. */
  @Test
  void changedAlgorithmsOfOneLimitReturnTheSameInBatchesOfOneAndOfSeveral() {
    var sharing =
        new TestServer(
            server, compact.clients(), TestConnections.sharingKeys(compact.connection()));
    var revisions = new ArrayList<RuleSet>();
    for (var limit : limits()) {
      revisions.add(RuleSet.of(Rule.named("single").match("key", "*").limit(limit).build()));
    }
    compare(revisions, () -> 1 + random.nextInt(3), STEPS / 3, sharing);
  }

  /** A caller that the layout separate has throttled stays so. */
  @Test
  void statesOfTheOtherLayoutAreContinuedExactly() {
    for (int i = 0; i < 10; i++) {
      var before = revisions(new Combine.All(), 1);
      var after = i < 5 ? before : revisions(new Combine.All(), 2);
      compare(before, () -> 1 + random.nextInt(5), STEPS / 100, separate);
      compare(after, () -> 1 + random.nextInt(5), STEPS / 50, compact);
      flush();
      reference = new ReferenceStore(clock);
    }
  }

  private void compare(
      List<RuleSet> revisions, IntSupplier batchSize, int steps, TestServer redis) {
    var rules = revisions.getFirst();
    for (int step = 0; step < steps; ) {
      clock.sleep(pause());
      var batch = new ParityBatch();
      var request = request();
      for (int i = batchSize.getAsInt(); i > 0; i--) {
        if (random.nextInt(6) == 0) rules = revisions.get(random.nextInt(revisions.size()));
        if (random.nextInt(3) > 0) request = request();
        boolean commit = random.nextInt(8) > 0;
        batch.add(rules.plan(request, 0, ++step), commit);
      }
      batch.compare(redis, clock, reference, step);
      if (random.nextInt(16) == 0) reset(rules, redis);
      if (random.nextInt(16) == 0) assertOneStateOfEachCounter();
    }
  }

  private void reset(RuleSet rules, TestServer redis) {
    var charges = rules.plan(request(), 0, 0).charges();
    var charge = charges.get(random.nextInt(charges.size()));
    reference.reset(charge.counter(), charge.key());
    redis.delete(ParityBatch.KEYS.of(charge.counter(), charge.key()).getBytes(UTF_8));
  }

  private static void assertOneStateOfEachCounter() {
    for (int i = 0; i < 3; i++) {
      var shared = "p:{k" + i + "}several|";
      for (var field : server.call("EVAL", FIELDS, "1", shared).items()) {
        assertThat(server.call("EXISTS", shared + field).number()).as("%s", field).isZero();
      }
      assertThat(server.call("EXISTS", "p:{k" + i + "}single|").number()).isZero();
    }
  }

  private long pause() {
    return switch (random.nextInt(6)) {
      case 0 -> 1;
      case 1, 2 -> random.nextLong(100_000);
      case 3, 4 -> random.nextLong(3_000_000);
      default -> random.nextLong(100_000_000);
    };
  }

  private Request request() {
    var subject = Subject.of("k" + random.nextInt(3)).with("tenant", "t" + random.nextInt(4));
    return Request.of(subject, random.nextInt(5) == 0 ? random.nextLong(6) : 1);
  }
}
