package io.headgate.internal.script;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import io.headgate.reservation.ReservationCommand;
import io.headgate.reservation.ReservationCommand.Action;
import io.headgate.reservation.ReservationReply;
import io.headgate.reservation.ReservedCharge;
import io.headgate.reservation.ReservedCharge.ExpiryCharge;
import io.headgate.rule.Charge;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import java.io.IOException;
import java.time.Duration;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A settlement marks a counter that has no record of returns and resets, so that the next one need
 * not read it; see {@code fast-settle.lua}.
 */
class SettledStateTest {
  private static final long SERVER_CLOCK = -1;
  private static final byte UNRETURNED = (byte) 0xd3;
  private static final byte UNKNOWN = (byte) 0xcf;
  private static final byte[] COUNTER = "s:{k}rule".getBytes(UTF_8);
  private static final byte[] RETURNS = "s:{k}||rule".getBytes(UTF_8);
  private static final Limit BUCKET = new TokenBucket(Rate.of(1000, Duration.ofHours(1)), 1000);
  private static final Limit WINDOW = FixedWindow.of(Rate.of(1000, Duration.ofDays(10_000)));

  private static TestServer redis;
  private static RedisClient client;
  private static RedisCommands<byte[], byte[]> commands;

  private final IdentityHashMap<ReservedCharge, String> nonces = new IdentityHashMap<>();
  private int reservations;

  @BeforeAll
  static void start() {
    redis = TestServer.start();
    client = RedisClient.create(redis.server().uri());
    commands = client.connect(ByteArrayCodec.INSTANCE).sync();
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

  static Stream<Limit> limits() {
    return Stream.of(BUCKET, WINDOW);
  }

  @ParameterizedTest
  @MethodSource("limits")
  void settlementMarksACounterWithoutReturns(Limit limit) {
    var first = reserve(limit, 100);
    assertThat(mark()).isEqualTo(UNKNOWN);
    assertThat(settle(first, 40).counters().getFirst().remaining()).isEqualTo(960);
    assertThat(mark()).isEqualTo(UNRETURNED);
    var second = reserve(limit, 300); // its count takes more bytes in a window
    assertThat(settle(second, 160).counters().getFirst().remaining()).isEqualTo(800);
    var third = reserve(limit, 100);
    assertThat(settle(third, 0).counters().getFirst().remaining()).isEqualTo(800);
    assertThat(mark()).isEqualTo(UNRETURNED);
    assertThat(commands.exists(RETURNS)).isZero();
    assertThat(commands.pttl(COUNTER)).isPositive();
  }

  @ParameterizedTest
  @MethodSource("limits")
  void settlementIsRepeatedWithTheSameReply(Limit limit) {
    var reserved = reserve(limit, 100);
    var reply = settle(reserved, 40);
    assertThat(settle(reserved, 40).counters().getFirst().charged()).isEqualTo(40);
    assertThat(settle(reserved, 7)).isEqualTo(reply);
    assertThat(settle(reserved, 0)).isEqualTo(reply);
    assertThat(settle(reserved, ReservationCommand.UNREPORTED)).isEqualTo(reply);
    assertThat(settle(reserved, 400)).isEqualTo(reply); // more than reserved has another form
  }

  @ParameterizedTest
  @MethodSource("limits")
  void resetAfterASettlementIsSeen(Limit limit) {
    settle(reserve(limit, 100), 50);
    var open = reserve(limit, 100);
    var batch = batch();
    ScriptCommand.resetting(open.charge()).writeTo(batch);
    redis.decide(batch, SERVER_CLOCK);
    assertThat(mark()).isEqualTo(UNKNOWN);
    commands.del(COUNTER);
    reserve(limit, 500);
    assertThat(settle(open, 0).counters().getFirst().remaining()).isEqualTo(500);
  }

  @Test
  void returnOfAnOverlappingReservationRemovesTheMark() {
    settle(reserve(BUCKET, 100), 50);
    var first = reserve(BUCKET, 100);
    var second = reserve(BUCKET, 100);
    assertThat(mark()).isEqualTo(UNRETURNED);
    settle(first, 0);
    assertThat(commands.exists(RETURNS)).isOne();
    assertThat(mark()).isEqualTo(UNKNOWN);
    assertThat(settle(second, 0).counters().getFirst().remaining()).isEqualTo(950);
    assertThat(mark()).isEqualTo(UNKNOWN);
  }

  @ParameterizedTest
  @MethodSource("limits")
  void earlierVersionReadsAMarkedState(Limit limit) throws IOException {
    String script;
    try (var file = SettledStateTest.class.getResourceAsStream("script-1.0.0-rc.1.lua")) {
      script = new String(Objects.requireNonNull(file).readAllBytes(), UTF_8);
    }
    settle(reserve(limit, 100), 40);
    assertThat(mark()).isEqualTo(UNRETURNED);
    var command = new ScriptCommand.ChargesCommand(List.of(charge(limit, 60)), true);
    var batch = batch();
    command.writeTo(batch);
    byte[] reply =
        commands.eval(
            script, ScriptOutputType.VALUE, batch.keys(), batch.argument(SERVER_CLOCK, 0));
    assertThat(command.read(new ReplyReader(reply)).outcomes().getFirst().remaining())
        .isEqualTo(900);
    assertThat(mark()).isEqualTo(UNKNOWN);
    assertThat(settle(reserve(limit, 100), 50).counters().getFirst().remaining()).isEqualTo(850);
  }

  /** Returns the type of the first number of the state. */
  private static byte mark() {
    return commands.get(COUNTER)[1];
  }

  private static Batch batch() {
    return new Batch(new CounterKeys("s:"), LimitFormat.NUMBERS);
  }

  private static Charge charge(Limit limit, long cost) {
    var rule = Rule.named("rule").match("key", "*").limit(limit).build();
    return RuleSet.of(rule).plan(Request.of(Subject.of("k"), cost), 0, 0).charges().getFirst();
  }

  private static ReservedCharge reserve(Limit limit, long cost) {
    var charge = charge(limit, cost);
    var command = new ScriptCommand.ChargesCommand(List.of(charge), true);
    var batch = batch();
    command.writeTo(batch);
    var read = command.read(new ReplyReader(redis.decide(batch, SERVER_CLOCK)));
    return new ReservedCharge(
        0, charge, read.now(), read.freshAt().getFirst(), true, 1000, ExpiryCharge.USED);
  }

  private ReservationReply settle(ReservedCharge reserved, long used) {
    var nonce = nonces.computeIfAbsent(reserved, made -> "n" + ++reservations);
    var entries = List.of(new ReservationCommand.Entry(reserved, used, 0));
    long expiresAt = reserved.at() + Duration.ofMinutes(1).toNanos() / 1_000;
    var command = new ReservationCommand(nonce, "id", expiresAt, Action.SETTLE, 0, entries);
    var script = ScriptCommand.reservation(command);
    var batch = batch();
    script.writeTo(batch);
    return script.read(new ReplyReader(redis.decide(batch, SERVER_CLOCK)));
  }
}
