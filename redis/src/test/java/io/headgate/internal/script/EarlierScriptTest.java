package io.headgate.internal.script;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FairShare;
import io.headgate.limit.Limit;
import io.headgate.limit.Outcome.Passed;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.State;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.store.PlanResult;
import io.headgate.testkit.ManualTicker;
import io.headgate.testkit.ReferenceStore;
import io.headgate.testkit.TestEffort;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Instances of this version and of 1.0.0-rc.1 share a Redis while they are replaced. Both run their
 * script on the same states.
 */
class EarlierScriptTest {
  private static final int STEPS = TestEffort.of(150, 300);
  private static TestServer redis;
  private static RedisClient client;
  private static RedisCommands<byte[], byte[]> earlier;
  private static String earlierSha1;

  private final ManualTicker clock = ManualTicker.create();
  private final Random random = new Random(20_261_118);
  private final ReferenceStore reference = new ReferenceStore(clock);
  private long holder;

  @BeforeAll
  static void start() throws IOException {
    redis = TestServer.start();
    client = RedisClient.create(redis.server().uri());
    earlier = client.connect(ByteArrayCodec.INSTANCE).sync();
    try (var file = EarlierScriptTest.class.getResourceAsStream("script-1.0.0-rc.1.lua")) {
      var text = new String(Objects.requireNonNull(file).readAllBytes(), UTF_8);
      earlierSha1 = earlier.scriptLoad(text);
    }
  }

  @AfterAll
  static void stop() {
    client.shutdown();
    redis.close();
  }

  @BeforeEach
  void flush() {
    redis.flush();
  }

  /** Without fair limits, which this version shares in another way. */
  static Stream<Limit> everyAlgorithm() {
    return ParityTest.everyAlgorithm().filter(limit -> !(limit instanceof FairShare));
  }

  static Stream<FairShare> fairLimits() {
    return ParityTest.everyAlgorithm()
        .mapMulti((limit, fair) -> {
          if (limit instanceof FairShare share) fair.accept(share);
        });
  }

  static Stream<Limit> allButRollingWindows() {
    return everyAlgorithm().filter(limit -> !(limit instanceof RollingWindow));
  }

  static Stream<RollingWindow> rollingWindows() {
    return Stream.of(
        RollingWindow.of(Rate.of(12, Duration.ofSeconds(5))),
        RollingWindow.of(Rate.of(900, Duration.ofSeconds(20))),
        RollingWindow.of(Rate.of(200, Duration.ofSeconds(20)))
            .withMinInterval(Duration.ofMillis(3)));
  }

  @ParameterizedTest
  @MethodSource("everyAlgorithm")
  void stateOfTheEarlierVersionIsContinuedExactly(Limit limit) {
    for (int step = 0; step < STEPS; step++) assertExact(limit, step < STEPS / 3);
  }

  @ParameterizedTest
  @MethodSource("allButRollingWindows")
  void bothVersionsTogetherAreExact(Limit limit) {
    for (int step = 0; step < STEPS; step++) assertExact(limit, random.nextBoolean());
  }

  private void assertExact(Limit limit, boolean isEarlier) {
    for (var decided : decide(limit, isEarlier)) {
      assertThat(decided.result().outcomes())
          .as("%s", limit)
          .isEqualTo(reference.decide(decided.command().plan).outcomes());
    }
  }

  /** The bucket that the tenants share is the oracle. */
  @ParameterizedTest
  @MethodSource("fairLimits")
  void bothVersionsTogetherAdmitNoMoreThanTheBucketOfAFairLimit(FairShare limit) {
    var state = State.FRESH;
    long permits = 0;
    for (int step = 0; step < STEPS; step++) {
      for (var decided : decide(limit, random.nextBoolean())) {
        if (!(decided.result().first() instanceof Passed)) continue;
        long cost = decided.command().plan.charges().getFirst().cost();
        var next = limit.bucket().step(state, clock.micros(), cost);
        assertThat(next.outcome()).isInstanceOf(Passed.class);
        state = next.state();
        permits += cost;
      }
    }
    assertThat(permits).isPositive();
  }

  /** A log of all admitted requests is the oracle. */
  @ParameterizedTest
  @MethodSource("rollingWindows")
  void bothVersionsTogetherAdmitNoMoreThanARollingWindow(RollingWindow limit) {
    var admitted = new ArrayList<Admitted>();
    long permits = 0;
    long permitsOfReference = 0;
    for (int step = 0; step < 4 * STEPS; step++) {
      for (var decided : decide(limit, random.nextBoolean())) {
        var plan = decided.command().plan;
        long cost = plan.charges().getFirst().cost();
        if (reference.decide(plan).first() instanceof Passed) permitsOfReference += cost;
        if (!(decided.result().first() instanceof Passed)) continue;
        permits += cost;
        admitted.add(new Admitted(clock.micros(), cost));
        long begin = clock.micros() - limit.window();
        admitted.removeIf(request -> request.at() <= begin);
        assertThat(admitted.stream().mapToLong(Admitted::cost).sum())
            .isLessThanOrEqualTo(limit.capacity());
      }
    }
    // The earlier version counts all that was in the window as requests of one moment.
    assertThat(permits).isBetween(permitsOfReference / 3, permitsOfReference);
  }

  /** A changed rule reads a state of another algorithm. */
  @Test
  void earlierVersionConvertsAPackedWindowToOtherAlgorithms() {
    var window = RollingWindow.of(Rate.of(10, Duration.ofSeconds(100)));
    for (var other :
        ParityTest.everyAlgorithm().filter(one -> !(one instanceof RollingWindow)).toList()) {
      redis.flush();
      run(window, false, 1, 1, 1, 1, 1);
      assertThat(redis.server().call("TYPE", "e:{k}rule").text()).isEqualTo("string");
      var outcome = run(other, true, 0).getFirst().result().first();
      if (other.algorithm().id().endsWith("concurrency")) continue; // which counts no requests
      assertThat(outcome.remaining())
          .as("%s", other)
          .isLessThanOrEqualTo((other.capacity() + 1) / 2);
    }
  }

  private record Admitted(long at, long cost) {}

  private record Decided(ScriptCommand.PlanCommand command, PlanResult result) {}

  private List<Decided> decide(Limit limit, boolean isEarlier) {
    clock.sleep(random.nextLong(random.nextInt(40) == 0 ? 30_000_000 : 400_000));
    var costs = random.longs(1 + random.nextInt(6), 0, 6).map(n -> random.nextInt(5) == 0 ? n : 1);
    return run(limit, isEarlier, costs.toArray());
  }

  private List<Decided> run(Limit limit, boolean isEarlier, long... costs) {
    var rules = RuleSet.of(Rule.named("rule").match("key", "*").limit(limit).build());
    var batch = new Batch(new CounterKeys("e:"), LimitFormat.NUMBERS);
    var commands = new ArrayList<ScriptCommand.PlanCommand>();
    for (long cost : costs) {
      var subject = Subject.of("k").with("tenant", "t" + random.nextInt(3));
      var plan = rules.plan(Request.of(subject, cost), 0, ++holder);
      var command = new ScriptCommand.PlanCommand(plan, true, back -> {});
      command.writeTo(batch);
      commands.add(command);
    }
    long now = clock.micros();
    byte[] reply =
        isEarlier
            ? earlier.evalsha(
                earlierSha1, ScriptOutputType.VALUE, batch.keys(), batch.argument(now, now))
            : redis.decide(batch, now);
    var reader = new ReplyReader(reply);
    return commands.stream().map(command -> new Decided(command, command.read(reader))).toList();
  }
}
