package io.headgate.cluster.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.tangosol.util.Binary;
import com.tangosol.util.filter.AlwaysFilter;
import io.headgate.limit.NumberWriter;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class WireFormatTest {
  private final WireSerializer format = new WireSerializer();

  private Object read(byte[] bytes) throws IOException {
    return format.deserialize(new Binary(bytes).getBufferInput());
  }

  private static BatchProcessor processor() {
    var call =
        new PartitionCall(
            PartitionCall.Kind.BATCH, 7, new String[] {"{a}rule", "{a}other"}, new byte[] {1, 2});
    return new BatchProcessor(List.of(call));
  }

  @Test
  void valuesOfTheClosedSetAreReadAsTheyWereWritten() throws IOException {
    for (var value :
        List.of(
            new EntryKey(3, "{user:1}rule"),
            "text",
            42,
            42L,
            true,
            'c',
            new Binary(new byte[] {1, 2}),
            new long[] {1, -2, Long.MAX_VALUE},
            new long[0],
            Map.of("a", 1L),
            List.of(1, "b"))) {
      var bytes = serialized(value);
      assertThat(read(bytes)).isEqualTo(value);
    }
    var copy = (BatchProcessor) read(serialized(processor()));
    assertThat(copy.encode()).isEqualTo(processor().encode());
  }

  private byte[] serialized(Object value) throws IOException {
    var out = new com.tangosol.io.ByteArrayWriteBuffer(64);
    format.serialize(out.getBufferOutput(), value);
    return out.toByteArray();
  }

  @Test
  void otherClassesCanNotBeSent() {
    assertThatExceptionOfType(IOException.class)
        .isThrownBy(() -> serialized(new AlwaysFilter<>()))
        .withMessageContaining("AlwaysFilter");
    assertThatExceptionOfType(IOException.class).isThrownBy(() -> serialized(new Random(1)));
  }

  @Test
  void failureIsReadAsAMessageAndNotAsItsClass() throws IOException {
    var read = read(serialized(new IllegalStateException("why")));
    assertThat(read).isInstanceOf(MemberFailureException.class).asString().contains("why");
  }

  /** Truncated and changed messages are a value of the set or an IOException, nothing else. */
  @Test
  void malformedMessagesAreRefused() throws IOException {
    var random = new Random(3);
    for (var value :
        List.of(
            new EntryKey(3, "{user:1}rule"),
            processor(),
            new long[] {1, 2, 3},
            Map.of("a", List.of(1)))) {
      var bytes = serialized(value);
      for (int i = 0; i < 5_000; i++) {
        var changed = java.util.Arrays.copyOf(bytes, 1 + random.nextInt(bytes.length));
        changed[random.nextInt(changed.length)] = (byte) random.nextInt(256);
        try {
          read(changed);
        } catch (IOException refused) {
          assertThat(refused).isNotNull();
        }
      }
    }
  }

  @Test
  void messageOfAnotherVersionIsRefusedWithWords() {
    var other = new NumberWriter().put(BatchProcessor.VERSION + 1).put(1).toByteArray();
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> BatchProcessor.decode(other))
        .withMessageContaining("another version");
  }

  @Test
  void keysOfOneSubjectShareAPartition() {
    assertThat(EntryKey.ofName("{user:1}a").partition())
        .isEqualTo(EntryKey.ofName("{user:1}b|c").partition())
        .isEqualTo(EntryKey.partitionOf("user:1"));
  }
}
