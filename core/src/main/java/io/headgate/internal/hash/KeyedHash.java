package io.headgate.internal.hash;

import java.security.SecureRandom;

/**
 * SipHash-1-3 (Aumasson and Bernstein, 2012) of a text's UTF-16 code units, with a random key per
 * JVM.
 *
 * <p>Hash tables with keys chosen by callers must not use {@link String#hashCode}: texts of equal
 * hash codes are easily constructed, and a seed mixed in afterwards does not separate them. With
 * SipHash, collisions can't be predicted without the key. Allocates nothing.
 */
public final class KeyedHash {
  private static final long KEY0;
  private static final long KEY1;

  static {
    var random = new SecureRandom();
    KEY0 = HashSeed.fixed ? 1 : random.nextLong();
    KEY1 = HashSeed.fixed ? 2 : random.nextLong();
  }

  /** Returns the hash of a text under the key of this JVM. */
  public static long of(String text) {
    return of(text, KEY0, KEY1);
  }

  /** Returns the hash of a text under a key of 128 bits. */
  public static long of(String text, long key0, long key1) {
    long v0 = key0 ^ 0x736f6d6570736575L;
    long v1 = key1 ^ 0x646f72616e646f6dL;
    long v2 = key0 ^ 0x6c7967656e657261L;
    long v3 = key1 ^ 0x7465646279746573L;
    int length = text.length();
    int i = 0;
    // The last word has the length in bytes in its highest byte and up to three characters.
    for (boolean last = false; !last; ) {
      long word;
      if (length - i >= 4) {
        word =
            text.charAt(i)
                | (long) text.charAt(i + 1) << 16
                | (long) text.charAt(i + 2) << 32
                | (long) text.charAt(i + 3) << 48;
        i += 4;
      } else {
        word = (long) length << 57;
        for (int shift = 0; i < length; i++, shift += 16) word |= (long) text.charAt(i) << shift;
        last = true;
      }
      v3 ^= word;
      v0 += v1;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v3;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 += v3;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 += v1;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v2 = Long.rotateLeft(v2, 32);
      v0 ^= word;
    }
    v2 ^= 0xff;
    for (int round = 0; round < 3; round++) {
      v0 += v1;
      v1 = Long.rotateLeft(v1, 13) ^ v0;
      v0 = Long.rotateLeft(v0, 32);
      v2 += v3;
      v3 = Long.rotateLeft(v3, 16) ^ v2;
      v0 += v3;
      v3 = Long.rotateLeft(v3, 21) ^ v0;
      v2 += v1;
      v1 = Long.rotateLeft(v1, 17) ^ v2;
      v2 = Long.rotateLeft(v2, 32);
    }
    return v0 ^ v1 ^ v2 ^ v3;
  }

  private KeyedHash() {}
}
