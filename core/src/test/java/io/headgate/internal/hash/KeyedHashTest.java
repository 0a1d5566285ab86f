package io.headgate.internal.hash;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.rule.Subject;
import java.util.HashSet;
import org.junit.jupiter.api.Test;

class KeyedHashTest {
  private static final long KEY0 = 0x0706050403020100L;
  private static final long KEY1 = 0x0f0e0d0c0b0a0908L;

  /** SipHash-1-3 of the bytes 0, 1, 2 … n-1 under the key 0, 1, 2 … 15. */
  @Test
  void matchesSipHash13TestVectors() {
    assertThat(KeyedHash.of("", KEY0, KEY1)).isEqualTo(0xabac0158050fc4dcL);
    assertThat(KeyedHash.of(bytes(8), KEY0, KEY1)).isEqualTo(0x369095118d299a8eL);
    assertThat(KeyedHash.of(bytes(14), KEY0, KEY1)).isEqualTo(0x605aa111c0f95d34L);
  }

  @Test
  void textsOfEqualHashCodeHaveDifferentHashes() {
    var hashes = new HashSet<Long>();
    for (int i = 0; i < 1 << 10; i++) hashes.add(KeyedHash.of(equalHashCode(i, 10)));
    assertThat(hashes).hasSize(1 << 10);
  }

  @Test
  void subjectsAreEqualInAnyOrderOfTheirAttributes() {
    var one = Subject.of("user", "ann").with("path", "/");
    var other = Subject.of("path", "/").with("user", "ann");
    assertThat(one).isEqualTo(other).hasSameHashCodeAs(other);
    assertThat(one.hashCode()).isNotEqualTo(Subject.of("user", "/").with("path", "ann").hashCode());
  }

  /** One of 2^length texts of the same {@code hashCode}: "Aa" and "BB" have equal ones. */
  static String equalHashCode(int number, int length) {
    var text = new StringBuilder();
    for (int bit = 0; bit < length; bit++) text.append(((number >> bit) & 1) == 0 ? "Aa" : "BB");
    return text.toString();
  }

  private static String bytes(int count) {
    var text = new StringBuilder();
    for (int i = 0; i < count; i += 2) text.append((char) (((i + 1) << 8) | i));
    return text.toString();
  }
}
