package io.headgate.server.rules.database;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SortKeysTest {
  private static long[] assign(Long... old) {
    var keys = new long[old.length];
    for (int i = 0; i < old.length; i++) keys[i] = old[i] == null ? SortKeys.NONE : old[i];
    return SortKeys.assign(keys);
  }

  @Test
  void newRulesGetKeysBetweenTheirNeighbours() {
    assertThat(assign(null, 10L, null, null, 40L, null))
        .containsExactly(5, 10, 20, 30, 40, 40 + SortKeys.GAP);
  }

  @Test
  void fewestPossibleKeysChange() {
    assertThat(assign(40L, 10L, 20L, 30L)).containsExactly(5, 10, 20, 30);
  }

  @Test
  void keysAreRenumberedWhenThereIsNoGap() {
    assertThat(assign(10L, null, 11L))
        .containsExactly(SortKeys.GAP, 2 * SortKeys.GAP, 3 * SortKeys.GAP);
    assertThat(assign(null, 1L)).containsExactly(SortKeys.GAP, 2 * SortKeys.GAP);
  }

  @Test
  void keysAlwaysIncrease() {
    var random = new Random(7);
    List<Long> keys = new ArrayList<>();
    for (int step = 0; step < 2_000; step++) {
      var old = new ArrayList<>(keys);
      switch (random.nextInt(4)) {
        case 0 -> old.add(random.nextInt(old.size() + 1), null);
        case 1 -> old.add(0, null);
        case 2 -> {
          if (old.size() > 20) old.remove(random.nextInt(old.size()));
        }
        default -> Collections.shuffle(old, random);
      }
      keys = new ArrayList<>();
      for (long key : assign(old.toArray(Long[]::new))) keys.add(key);
      assertThat(keys).isSorted().doesNotHaveDuplicates().hasSameSizeAs(old);
    }
  }
}
