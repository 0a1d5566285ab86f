package io.headgate.internal.script;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.Concurrency;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks batches that no instance sends: what Redis would do with them must not depend on luck. */
class BatchValidatorTest {
  private static final long LEASE = 2_000_000;
  private static final long NOW = TimeUnit.MILLISECONDS.toMicros(System.currentTimeMillis());
  private static final TokenBucket BUCKET = TokenBucket.of(Rate.perMinute(100));
  private static final FixedWindow WINDOW = FixedWindow.of(Rate.perMinute(100));
  private static final byte[][] KEYS = {key("{a}r"), key("{a}|nonce"), key("{a}||r")};

  private static byte[] key(String name) {
    return ("headgate:home:" + name).getBytes(StandardCharsets.UTF_8);
  }

  private static byte[] batch(Limit limit, Consumer<MessagePackWriter> commands) {
    return batch(LimitEncoding.of(limit, NOW), commands);
  }

  private static byte[] batch(long[] limit, Consumer<MessagePackWriter> commands) {
    var out = new MessagePackWriter().put(-1).put(3).put(1);
    for (long number : limit) out.put(number);
    commands.accept(out);
    return out.array();
  }

  private static void accept(byte[] batch) {
    assertThatCode(() -> new BatchValidator().require(KEYS, batch, LEASE))
        .doesNotThrowAnyException();
  }

  private static void reject(byte[] batch, String reason) {
    assertThatThrownBy(() -> new BatchValidator().require(KEYS, batch, LEASE))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(reason);
  }

  private static MessagePackWriter decide(MessagePackWriter out, long cost, long times) {
    return out.put(Batch.DECIDE).put(0).put(1).put(1).put(cost).put(times);
  }

  private static void hold(MessagePackWriter out, long cost, long lease) {
    out.put(Batch.HOLD).put(1).put(1).put(7).put(0).put(0).put(0).put(0);
    out.put(cost).put(10).put(lease);
  }

  private static void settle(
      MessagePackWriter out, int record, int counter, long expiresAt, long more) {
    out.put(Batch.RESERVATION).put(record).put(1).put(expiresAt).put(0).put(1);
    out.put(0).put(counter).put(1).put(3).put(more).put(5).put(NOW).put(NOW).put(1).put(50);
    out.put(0).put("7").put(3);
  }

  @Test
  void batchOfAnInstanceIsAccepted() {
    accept(batch(BUCKET, out -> decide(decide(out, 1, 100), 2, 28)));
    accept(batch(BUCKET, out -> hold(out, 1, LEASE)));
    accept(batch(WINDOW, out -> settle(out, 2, 1, NOW + 60_000_000, 0)));
  }

  @Test
  void chargeToGiveBackThatLooksLikeAPlanIsRejected() {
    // Redis would read a plan of one part here, and commands of its own choice afterwards.
    reject(
        batch(
            BUCKET,
            out -> out.put(Batch.GIVE_BACK).put(1).put(1).put(1).put(1).put(NOW).put(NOW).put(3)),
        "parts");
  }

  @ParameterizedTest
  @ValueSource(longs = {Integer.MAX_VALUE, 1L << 40, -1})
  void planThatStatesMorePartsThanItHasIsRejected(long parts) {
    reject(batch(BUCKET, out -> out.put(Batch.DECIDE).put(parts).put(1).put(0)), "");
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 129, 10_000, 1L << 60})
  void commandThatIsRepeatedMoreOftenThanABatchHasCommandsIsRejected(long times) {
    reject(batch(BUCKET, out -> decide(out, 1, times)), "");
  }

  @Test
  void moreCommandsThanABatchHasAreRejected() {
    reject(
        batch(
            BUCKET,
            out -> {
              for (int i = 0; i < 129; i++) decide(out, 1, 1);
            }),
        "more than 128 commands");
  }

  @Test
  void moreSlotsThanABatchHasAreRejected() {
    var slots = new Concurrency(100_000, Duration.ofSeconds(30));
    reject(
        batch(
            slots,
            out -> {
              for (int i = 0; i < 17; i++) {
                out.put(Batch.DECIDE).put(0).put(1).put(1).put(1_000).put("1").put(1);
              }
            }),
        "more than 16384 charges");
  }

  @Test
  void textInPlaceOfANumberIsRejected() {
    reject(batch(BUCKET, out -> out.put("1").put(0).put(1).put(1).put(1).put(1)), "not a number");
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, (1L << 53) + 1, Long.MAX_VALUE, Long.MIN_VALUE})
  void costOutOfRangeIsRejected(long cost) {
    reject(batch(BUCKET, out -> decide(out, cost, 1)), "out of range");
    reject(batch(BUCKET, out -> out.put(Batch.REPORT).put(1).put(1).put(cost)), "out of range");
  }

  @ParameterizedTest
  @CsvSource({"0,4294967297", "2,0", "3,1", "4,-5", "5,9007199254740992"})
  void limitWhoseNumbersContradictEachOtherIsRejected(int index, long number) {
    var limit = LimitEncoding.of(BUCKET, NOW);
    limit[index] = number;
    reject(batch(limit, out -> decide(out, 1, 1)), "");
  }

  @Test
  void calendarWindowOfCenturiesIsRejected() {
    long day = 86_400_000_000L;
    accept(
        batch(
            new long[] {LimitEncoding.FIXED, 5, -7, 0, NOW - day, NOW + day, NOW + 2 * day},
            out -> decide(out, 1, 1)));
    reject(
        batch(
            new long[] {LimitEncoding.FIXED, 5, -1L << 56, 0, NOW - day, NOW, NOW + day},
            out -> decide(out, 1, 1)),
        "calendar window");
    reject(
        batch(
            new long[] {LimitEncoding.FIXED, 5, -7, 0, 0, NOW + 1, 1L << 52},
            out -> decide(out, 1, 1)),
        "calendar window");
  }

  @Test
  void longLeaseIsRejectedAlsoIfTheCostLeavesNothingToHold() {
    reject(batch(BUCKET, out -> hold(out, 100, LEASE + 1)), "longer than home waits");
    reject(batch(BUCKET, out -> hold(out, 101, LEASE + 1)), "longer than home waits");
  }

  @Test
  void keyOfAnotherKindIsRejected() {
    reject(batch(BUCKET, out -> settle(out, 1, 1, NOW, 0)), "no reservation");
    reject(batch(BUCKET, out -> settle(out, 3, 1, NOW, 0)), "no reservation");
    reject(batch(BUCKET, out -> settle(out, 2, 2, NOW, 0)), "no counter");
    reject(batch(BUCKET, out -> out.put(Batch.RESETTING).put(1).put(1).put(2)), "no returns");
  }

  @Test
  void reservationThatNeverExpiresIsRejected() {
    reject(batch(BUCKET, out -> settle(out, 2, 1, 1L << 52, 0)), "never expires");
    reject(batch(BUCKET, out -> settle(out, 2, 1, NOW, -4)), "out of range");
  }
}
