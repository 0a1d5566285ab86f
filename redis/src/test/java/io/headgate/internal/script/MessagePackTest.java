package io.headgate.internal.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.testkit.redis.RedisServer;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.codec.ByteArrayCodec;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MessagePackTest {
  @Test
  void numbersSurviveRoundTripThroughServer() {
    var numbers = new Random(7).longs(500, 0, 1L << 53).map(n -> n >> n % 50).toArray();
    var edges = new long[] {0, 1, 127, 128, 255, 256, 65535, 65536, -1, -32, -33, -129, -70_000};
    var writer = new MessagePackWriter();
    for (long number : edges) writer.put(number);
    var more = new MessagePackWriter();
    for (long number : numbers) more.put(number);
    more.put((1L << 32) - 1).put(1L << 32).put(1L << 53).put(-(1L << 53));
    var read = new MessagePackReader(echo(writer.put(more).array()));
    for (long number : edges) assertThat(read.next()).isEqualTo(number);
    for (long number : numbers) assertThat(read.next()).isEqualTo(number);
    assertThat(read.next()).isEqualTo((1L << 32) - 1);
    assertThat(read.next()).isEqualTo(1L << 32);
    assertThat(read.next()).isEqualTo(1L << 53);
    assertThat(read.next()).isEqualTo(-(1L << 53));
  }

  @Test
  void otherTypesThanIntegerArrayAreRejected() {
    assertThatThrownBy(() -> new MessagePackReader(new byte[] {5})).hasMessage("not an array: 5");
    var text = new MessagePackReader(new byte[] {(byte) 0x91, (byte) 0xa1, 'x'});
    assertThatThrownBy(text::next).hasMessage("not an integer: 161");
  }

  private static byte[] echo(byte[] array) {
    var client = RedisClient.create();
    try (var server = RedisServer.start();
        var connection =
            client.connect(
                ByteArrayCodec.INSTANCE, io.lettuce.core.RedisURI.create(server.uri()))) {
      var script =
          "return cmsgpack.pack(cmsgpack.unpack(ARGV[1]))".getBytes(StandardCharsets.UTF_8);
      return connection.sync().eval(script, ScriptOutputType.VALUE, new byte[0][], array);
    } finally {
      client.shutdown();
    }
  }
}
