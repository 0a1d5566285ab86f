package io.headgate.server.simulation.accesslog;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class LineReaderProperties {
  /** For any division of the input into reads. */
  @Property(tries = 100)
  void everyLineIsReadOnceAndCompletely(@ForAll long seed) throws IOException {
    var random = new Random(seed);
    var text = new StringBuilder();
    int count = random.nextInt(50);
    for (int i = 0; i < count; i++) {
      int length = random.nextInt(20) == 0 ? random.nextInt(200_000) : random.nextInt(30);
      text.append("ab".repeat(length / 2)).append(random.nextInt(5) == 0 ? "\r\n" : "\n");
    }
    text.append("end".repeat(random.nextInt(2)));
    var lines = new ArrayList<String>();
    var pieces = new Pieces(text.toString().getBytes(UTF_8), random);
    LineReader.read(
        pieces,
        new LineReader.Handler() {
          @Override
          public void line(byte[] bytes, int from, int to, long number) {
            assertThat(number).isEqualTo(lines.size() + 1);
            lines.add(new String(bytes, from, to - from, UTF_8));
          }

          @Override
          public void tooLong(long number) {
            assertThat(number).isEqualTo(lines.size() + 1);
            lines.add("(too long)");
          }
        });
    List<String> expected =
        text.toString()
            .lines()
            .map(l -> l.length() > LineReader.MAX_LENGTH ? "(too long)" : l)
            .toList();
    assertThat(lines).isEqualTo(expected);
  }

  private static final class Pieces extends FilterInputStream {
    private final Random random;

    Pieces(byte[] bytes, Random random) {
      super(new ByteArrayInputStream(bytes));
      this.random = random;
    }

    @Override
    public int read(byte[] bytes, int from, int length) throws IOException {
      return super.read(bytes, from, Math.min(length, 1 + random.nextInt(40_000)));
    }
  }
}
