package io.headgate.cluster.internal;

import com.tangosol.net.partition.KeyPartitioningStrategy.PartitionAwareKey;
import io.headgate.internal.script.CounterKeys;
import java.nio.charset.StandardCharsets;
import java.util.zip.CRC32C;

/**
 * The key of a counter in the grid.
 *
 * @param partition the partition, which all counters of one subject share
 * @param name the name of the counter
 */
record EntryKey(int partition, String name) implements PartitionAwareKey {
  /** The number of partitions, the same in every member and in {@code grid-cache.xml}. */
  static final int PARTITIONS = 257;

  /** Validates the partition. */
  EntryKey {
    if (partition < 0 || partition >= PARTITIONS) {
      throw new IllegalArgumentException(
          "a partition must be 0 to %d, got %d".formatted(PARTITIONS - 1, partition));
    }
  }

  /**
   * Returns the partition of a counter.
   *
   * @param key the key of a {@code Charge}
   */
  static int partitionOf(String key) {
    return partitionOfTag(CounterKeys.tag(key));
  }

  /** Returns the partition of a hash tag. */
  static int partitionOfTag(String tag) {
    var crc = new CRC32C();
    crc.update(tag.getBytes(StandardCharsets.UTF_8));
    return (int) (crc.getValue() % PARTITIONS);
  }

  /** Returns the key of a counter by its full name, in which the hash tag is in braces. */
  static EntryKey ofName(String name) {
    int open = name.indexOf('{');
    int close = name.indexOf('}', open);
    if (open < 0 || close < 0) {
      throw new IllegalArgumentException("the name of a counter has no tag: " + name);
    }
    return new EntryKey(partitionOfTag(name.substring(open + 1, close)), name);
  }

  @Override
  public int getPartitionId() {
    return partition;
  }
}
