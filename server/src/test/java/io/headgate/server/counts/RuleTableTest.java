package io.headgate.server.counts;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class RuleTableTest {
  private static final long START = 1_789_300_800L;

  private final List<String> replaced = new ArrayList<>();
  private final RuleTable<String> table =
      new RuleTable<>(second -> "@" + (second - START), replaced::add);

  private void fill() {
    for (int i = 0; i < RuleTable.MAX_RULES; i++) table.use("rule" + i, START);
  }

  @Test
  void fullTableHasNoPlaceForANewRuleWhileAllAreInUse() {
    fill();
    assertThat(table.isFull()).isTrue();
    assertThat(table.use("new", START)).isEmpty();
    assertThat(table.use("rule0", START)).hasValue("@0");
    assertThat(table.find("new")).isEmpty();
    assertThat(replaced).isEmpty();
  }

  @Test
  void idleRuleGivesItsPlaceToANewOne() {
    fill();
    long later = START + RuleTable.IDLE_SECONDS;
    for (int i = 1; i < RuleTable.MAX_RULES; i++) table.use("rule" + i, later - 1);
    assertThat(table.use("new", later - 1)).isEmpty();
    assertThat(table.use("new", later)).hasValue("@" + RuleTable.IDLE_SECONDS);
    assertThat(replaced).containsExactly("@0");
    assertThat(table.find("rule0")).isEmpty();
    assertThat(table.use("newer", later + 1)).isEmpty();
  }

  @Test
  void unusedRulesExpire() {
    table.use("old", START);
    table.use("used", START);
    table.use("used", START + 50);
    table.expire(START + 100, 100);
    assertThat(table.find("old")).isEmpty();
    assertThat(table.find("used")).hasValue("@0");
  }
}
