package io.headgate;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class SlotIdsTest {
  private static final int MANY = 5_000;

  private final SlotIds slotIds = new SlotIds();

  @Test
  void idsAreUnique() {
    var seen = new HashSet<Long>();
    for (int i = 0; i < MANY; i++) assertThat(seen.add(slotIds.next())).isTrue();
  }

  @Test
  void idsAreUniqueAcrossThreads() {
    Set<Long> seen = ConcurrentHashMap.newKeySet();
    try (var threads = Executors.newFixedThreadPool(4)) {
      for (int t = 0; t < 4; t++) {
        threads.execute(() -> {
          for (int i = 0; i < MANY; i++) seen.add(slotIds.next());
        });
      }
    }
    assertThat(seen).hasSize(4 * MANY);
  }

  @Test
  void textOfASlotIdBeginsWithALetter() {
    var ids = new SlotIds();
    for (int i = 0; i < 1_000; i++) {
      var token = new SlotToken(ids.next(), List.of(new SlotToken.SlotRef("r", -1, "r", "k")));
      assertThat(token.encode()).matches("[A-Za-z].*");
    }
  }
}
