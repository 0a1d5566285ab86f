package io.headgate.internal.hash;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class KeyDigestTest {
  private static final String LONGEST = "k".repeat(KeyDigest.MAX_LENGTH);

  @Test
  void shortKeysAreKept() {
    assertThat(KeyDigest.bounded("")).isEmpty();
    assertThat(KeyDigest.bounded(LONGEST)).isSameAs(LONGEST);
  }

  @Test
  void longKeysThatDifferAnywhereHaveDifferentTexts() {
    var one = KeyDigest.bounded(LONGEST + "a".repeat(10_000) + "1");
    assertThat(one).hasSize(KeyDigest.MAX_LENGTH + 1).startsWith("kkkk");
    assertThat(KeyDigest.bounded(LONGEST + "a".repeat(10_000) + "2")).isNotEqualTo(one);
    assertThat(KeyDigest.bounded("\ud800".repeat(200)))
        .isNotEqualTo(KeyDigest.bounded("\ud801".repeat(200)));
  }

  /** A caller must not get the counter of another by naming its hash. */
  @Test
  void textOfALongKeyIsThatOfNoOtherKey() {
    var text = KeyDigest.bounded(LONGEST + "x");
    assertThat(KeyDigest.bounded(text)).isNotEqualTo(text);
  }

  @Test
  void hashIsThatOfTheWholeKey() {
    var key = LONGEST + "x";
    assertThat(KeyDigest.hashOf(KeyDigest.bounded(key))).isEqualTo(KeyDigest.hashOf(key));
  }
}
