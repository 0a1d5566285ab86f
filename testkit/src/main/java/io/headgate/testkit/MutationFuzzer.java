package io.headgate.testkit;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/**
 * Feeds a reader with random mutations of a few seeds. It measures no coverage, so it finds what is
 * near the seeds. An input that fails is named with the seed of the run, which repeats it.
 *
 * <p>{@code -Dheadgate.fuzz.seconds=600} runs each target for that long instead of two seconds,
 * {@code -Dheadgate.fuzz.seed=N} repeats a run.
 */
public final class MutationFuzzer {
  private static final int LONGEST = 8_192;
  private static final int MOST_KEPT = 256;
  private static final byte[][] TOKENS = tokens();

  /** Reads one input; any exception is a failure. */
  public interface Target {
    void read(byte[] input) throws Exception;
  }

  private final Random random;
  private final List<byte[]> corpus = new ArrayList<>();
  private final long seed;

  private MutationFuzzer(List<String> seeds, long seed) {
    this.seed = seed;
    this.random = new Random(seed);
    for (var text : seeds) corpus.add(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Runs the target until the time is over; returns how many inputs it has read. */
  public static long run(List<String> seeds, Target target) {
    long seed = Long.getLong("headgate.fuzz.seed", System.nanoTime());
    var time = Duration.ofSeconds(Long.getLong("headgate.fuzz.seconds", 2));
    return new MutationFuzzer(seeds, seed).run(target, time.toNanos());
  }

  private long run(Target target, long nanos) {
    for (var input : List.copyOf(corpus)) feed(target, input);
    long start = System.nanoTime();
    long count = corpus.size();
    while (System.nanoTime() - start < nanos) {
      var input = corpus.get(random.nextInt(corpus.size()));
      int changes = 1 + random.nextInt(6);
      for (int i = 0; i < changes; i++) input = mutated(input);
      feed(target, input);
      count++;
      // Without coverage there is no better one to keep than any.
      if (corpus.size() < MOST_KEPT && random.nextInt(50) == 0) corpus.add(input);
    }
    return count;
  }

  @SuppressWarnings("CatchingUnchecked") // errors such as StackOverflowError are failures too
  private void feed(Target target, byte[] input) {
    try {
      target.read(input.clone());
    } catch (Throwable e) {
      throw new AssertionError(
          "failed with -Dheadgate.fuzz.seed=%d on %d bytes: %s"
              .formatted(seed, input.length, shown(input)),
          e);
    }
  }

  private static String shown(byte[] input) {
    var text = new StringBuilder();
    for (int i = 0; i < Math.min(input.length, 2_000); i++) {
      int c = input[i] & 0xff;
      text.append(c >= ' ' && c < 0x7f ? String.valueOf((char) c) : "\\x%02x".formatted(c));
    }
    return text.toString();
  }

  private byte[] mutated(byte[] input) {
    int at = random.nextInt(input.length + 1);
    int end = Math.min(input.length, at + random.nextInt(16));
    return switch (random.nextInt(6)) {
      case 0 -> spliced(input, at, end, new byte[0]);
      case 1 -> spliced(input, at, at, new byte[] {(byte) random.nextInt(256)});
      case 2 ->
          spliced(input, at, Math.min(at + 1, input.length), TOKENS[random.nextInt(TOKENS.length)]);
      case 3 -> spliced(input, at, at, TOKENS[random.nextInt(TOKENS.length)]);
      case 4 -> repeated(input, at, end);
      default -> {
        var other = corpus.get(random.nextInt(corpus.size()));
        int from = random.nextInt(other.length + 1);
        int to = from + random.nextInt(other.length - from + 1);
        yield spliced(input, at, end, Arrays.copyOfRange(other, from, to));
      }
    };
  }

  private byte[] repeated(byte[] input, int at, int end) {
    var part = Arrays.copyOfRange(input, at, end);
    int times = random.nextInt(random.nextInt(20) == 0 ? 500 : 5);
    var all = new byte[part.length * times];
    for (int i = 0; i < times; i++) System.arraycopy(part, 0, all, i * part.length, part.length);
    return spliced(input, at, at, all);
  }

  private static byte[] spliced(byte[] input, int at, int end, byte[] put) {
    int length = Math.min(LONGEST, at + put.length + input.length - end);
    var result = Arrays.copyOf(Arrays.copyOf(input, at), length);
    int placed = Math.max(0, Math.min(put.length, length - at));
    System.arraycopy(put, 0, result, Math.min(at, length), placed);
    int rest = Math.max(0, Math.min(input.length - end, length - at - put.length));
    System.arraycopy(input, end, result, Math.min(length, at + put.length), rest);
    return result;
  }

  private static byte[][] tokens() {
    var texts =
        "{ } [ ] : , \" ' \\ / * & ! % | > ? # - _ ~ = ; @ . .. // \\u0000 \\ud800 %2e %2F %00 %zz null true"
            + " 0 -1 9007199254740993 9223372036854775808 1e999 1_0 1h1 ::1 ::ffff:1.2.3.4 for= <<";
    var all = new ArrayList<byte[]>();
    for (var text : texts.split(" ", -1)) all.add(text.getBytes(StandardCharsets.UTF_8));
    for (var text : List.of(" ", "\n", "\r\n", "\t", "\0", "\u2028", "\u202e", "\ufeff", "😀")) {
      all.add(text.getBytes(StandardCharsets.UTF_8));
    }
    return all.toArray(byte[][]::new);
  }
}
