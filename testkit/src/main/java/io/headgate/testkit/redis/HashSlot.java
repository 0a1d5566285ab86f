package io.headgate.testkit.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

/** Computes the cluster slot of a key: CRC-16/XMODEM of its hash tag or of the key, mod 16384. */
final class HashSlot {
  static final int COUNT = 16_384;

  private static final int POLYNOMIAL = 0x1021;

  /** Returns the slot of a key. */
  static int of(String key) {
    int crc = 0;
    for (byte b : tag(key).getBytes(UTF_8)) {
      crc ^= (b & 0xff) << 8;
      for (int bit = 0; bit < 8; bit++) {
        crc = (crc & 0x8000) == 0 ? crc << 1 : crc << 1 ^ POLYNOMIAL;
      }
      crc &= 0xffff;
    }
    return crc % COUNT;
  }

  /** Returns the text between the first brace and the next closing one, else the whole key. */
  private static String tag(String key) {
    int open = key.indexOf('{');
    int close = key.indexOf('}', open + 1);
    return open < 0 || close <= open + 1 ? key : key.substring(open + 1, close);
  }

  /** Returns the slot; throws IllegalArgumentException if it is out of range. */
  static int check(int slot) {
    if (slot < 0 || slot >= COUNT)
      throw new IllegalArgumentException(
          "a slot must be from 0 to %d, got %d; slotOf(key) returns the slot of a key"
              .formatted(COUNT - 1, slot));
    return slot;
  }

  private HashSlot() {}
}
