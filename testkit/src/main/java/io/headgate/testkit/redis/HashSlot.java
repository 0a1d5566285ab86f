package io.headgate.testkit.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

/** Which of a cluster's 16384 slots a key belongs to: CRC-16/XMODEM of its hash tag, or of all. */
final class HashSlot {
  static final int COUNT = 16_384;

  private static final int POLYNOMIAL = 0x1021;

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

  /** What stands between the first brace and the next closing one, if anything does. */
  private static String tag(String key) {
    int open = key.indexOf('{');
    int close = key.indexOf('}', open + 1);
    return open < 0 || close <= open + 1 ? key : key.substring(open + 1, close);
  }

  static int check(int slot) {
    if (slot < 0 || slot >= COUNT)
      throw new IllegalArgumentException(
          "a slot must be from 0 to %d, got %d; slotOf(key) gives a key's"
              .formatted(COUNT - 1, slot));
    return slot;
  }

  private HashSlot() {}
}
