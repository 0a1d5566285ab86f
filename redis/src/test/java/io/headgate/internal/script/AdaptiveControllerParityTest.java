package io.headgate.internal.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.load.CallOutcome;
import io.headgate.load.CallSample;
import io.headgate.load.ConcurrencyController;
import io.headgate.load.ControllerState;
import io.headgate.testkit.TestEffort;
import io.headgate.testkit.redis.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.StatefulRedisConnection;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Scanner;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs histories of calls through the controller in Java and in Lua and compares every number. */
class AdaptiveControllerParityTest {
  /** Applies calls to a state; returns the state after each, as text that preserves a double. */
  private static final String DRIVER =
      """
      local s, n = {}, tonumber(ARGV[1])
      for i = 1, n do s[i] = tonumber(ARGV[1 + i]) end
      local lowest, highest, results = tonumber(ARGV[n + 2]), tonumber(ARGV[n + 3]), {}
      for i = n + 4, #ARGV, 4 do
        complete_call(s, lowest, highest, tonumber(ARGV[i]), tonumber(ARGV[i + 1]), tonumber(ARGV[i + 2]),
          tonumber(ARGV[i + 3]))
        local numbers = {}
        for j = 1, n do numbers[j] = string.format('%.17g', s[j]) end
        results[#results + 1] = table.concat(numbers, ' ')
      end
      return results
      """;

  private static final int CALLS = TestEffort.of(4_000, 8_000);
  private static final int PER_SCRIPT = 500;

  private static RedisServer server;
  private static RedisClient client;
  private static StatefulRedisConnection<String, String> connection;
  private static String script;

  @BeforeAll
  static void start() throws IOException {
    try (var file =
        AdaptiveControllerParityTest.class.getResourceAsStream(
            "/io/headgate/redis/lua/adaptive-controller.lua")) {
      assertThat(file).isNotNull();
      script = new String(file.readAllBytes(), StandardCharsets.UTF_8) + DRIVER;
    }
    server = RedisServer.start();
    client = RedisClient.create("redis://127.0.0.1:" + server.port());
    connection = client.connect();
  }

  @AfterAll
  static void stop() {
    connection.close();
    client.shutdown();
    server.close();
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6})
  void luaComputesTheSameNumbers(long seed) {
    var random = new SplittableRandom(seed);
    var controller = new ConcurrencyController(1 + random.nextInt(3), 400, 20);
    var state = controller.start();
    int knee = 2 + random.nextInt(60);
    double service = 1_000 * (1 + random.nextInt(50));
    double now = 1.7e15;
    var limits = new ArrayList<Integer>();
    for (int done = 0; done < CALLS; done += PER_SCRIPT) {
      var arguments = new ArrayList<String>();
      arguments.add(String.valueOf(ControllerState.SIZE));
      for (double number : state.toArray()) arguments.add(Double.toString(number));
      arguments.add(String.valueOf(controller.min()));
      arguments.add(String.valueOf(controller.max()));
      if (random.nextInt(6) == 0) service *= random.nextDouble() * 3;
      if (random.nextInt(10) == 0) now -= 5e6;
      double dropped = random.nextInt(5) == 0 ? 0.7 : 0.02;
      var expected = new ArrayList<ControllerState>();
      for (int i = 0; i < PER_SCRIPT; i++) {
        double wait = Math.max(1, (double) state.limit() / knee);
        double duration = -service * wait * Math.log(1 - random.nextDouble());
        now += service * wait / state.limit() * 2 * random.nextDouble();
        var outcome =
            random.nextDouble() < dropped
                ? CallOutcome.DROPPED
                : random.nextInt(50) == 0 ? CallOutcome.ERROR : CallOutcome.SUCCESS;
        int inFlight = Math.max(1, state.limit() - random.nextInt(3));
        var sample = new CallSample((long) duration, inFlight, outcome);
        state = controller.completed(state, (long) now, sample);
        expected.add(state);
        limits.add(state.limit());
        arguments.add(String.valueOf((long) now));
        arguments.add(String.valueOf(sample.durationMicros()));
        arguments.add(String.valueOf(sample.inFlight()));
        arguments.add(String.valueOf(List.of(CallOutcome.values()).indexOf(outcome)));
      }
      assertThat(inLua(arguments)).isEqualTo(expected);
    }
    assertThat(limits.stream().distinct().count()).isGreaterThan(10); // it was at work
  }

  private static List<ControllerState> inLua(List<String> arguments) {
    List<String> states =
        connection
            .sync()
            .eval(script, ScriptOutputType.MULTI, new String[0], arguments.toArray(String[]::new));
    return states.stream().map(AdaptiveControllerParityTest::parse).toList();
  }

  private static ControllerState parse(String text) {
    var numbers = new Scanner(text).useDelimiter(" ").tokens().mapToDouble(Double::parseDouble);
    return ControllerState.of(numbers.toArray());
  }
}
