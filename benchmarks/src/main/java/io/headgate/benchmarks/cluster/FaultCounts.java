package io.headgate.benchmarks.cluster;

import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The admissions of one member, in a file that is mapped into memory, so that they survive the
 * process. Thread-safe for one process that writes and others that read.
 */
final class FaultCounts {
  private static final int SCARCE = 0;
  private static final int AMPLE = 1;
  private static final int LENGTH = 2;

  private final LongBuffer counts;

  private FaultCounts(LongBuffer counts) {
    this.counts = counts;
  }

  static FaultCounts open(Path file) throws IOException {
    try (var channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      var bytes = channel.map(FileChannel.MapMode.READ_WRITE, 0, (long) LENGTH * Long.BYTES);
      return new FaultCounts(bytes.order(ByteOrder.nativeOrder()).asLongBuffer());
    }
  }

  synchronized void admitted(boolean scarce) {
    int index = scarce ? SCARCE : AMPLE;
    counts.put(index, counts.get(index) + 1);
  }

  synchronized long scarce() {
    return counts.get(SCARCE);
  }

  synchronized long ample() {
    return counts.get(AMPLE);
  }
}
