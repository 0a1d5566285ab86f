package io.headgate.server.cli.size;

/** Computes the memory of a key of Redis 7.0 with jemalloc, whose steps are 16 bytes. */
final class RedisMemory {
  /** The entries of a key in the tables of keys and of expiries. */
  private static final long ENTRIES = 2 * 32;

  private static final long OBJECT = 16;

  /** The longest text that Redis stores in its object. */
  private static final long MAX_EMBEDDED = 44;

  private RedisMemory() {}

  /** Returns the memory of a key with a text and an expiry, without its share of tables. */
  static long keyBytes(int nameLength, long text) {
    long value =
        text <= MAX_EMBEDDED
            ? allocated(OBJECT + text + 4)
            : OBJECT + allocated(text + (text < 256 ? 4 : 6));
    return ENTRIES + nameBytes(nameLength) + value;
  }

  /** Returns the memory of a name: with header and terminator, in steps of 16 bytes. */
  static long nameBytes(int length) {
    return Math.ceilDiv(length + (length < 32 ? 2 : 4), 16) * 16L;
  }

  /** Returns the memory of the two tables, of keys and of expiries, whose sizes double. */
  static double tableBytes(double keys) {
    double slots = 4;
    while (slots < keys) slots *= 2;
    return 16 * slots;
  }

  /** Returns the size class of jemalloc: steps of 16 bytes up to 128, then 4 for each doubling. */
  private static long allocated(long bytes) {
    long step = Math.max(16, Long.highestOneBit(bytes - 1) / 4);
    return Math.ceilDiv(bytes, step) * step;
  }
}
