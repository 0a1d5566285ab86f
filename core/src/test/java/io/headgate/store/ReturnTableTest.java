package io.headgate.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.Rate;
import io.headgate.limit.ReturnHistory;
import io.headgate.limit.ReturnHistory.Span;
import io.headgate.limit.TokenBucket;
import io.headgate.rule.Charge;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import java.util.List;
import org.junit.jupiter.api.Test;

class ReturnTableTest {
  private final ReturnTable table = new ReturnTable(400); // room for two histories

  private static Charge charge(String key) {
    var limit = TokenBucket.of(Rate.perMinute(10));
    var rule = Rule.named("rule").match("key", "*").limit(limit).build();
    return RuleSet.of(rule).plan(Request.of(Subject.of(key), 1), 0, 1).charges().getFirst();
  }

  private static ReturnHistory until(long expiresAt) {
    return new ReturnHistory(expiresAt, 10, List.of(new Span(0, 5, 0), new Span(8, 0, 0)));
  }

  private ReturnHistory find(String key, long now) {
    return table.of(List.of(charge(key)), now).getFirst();
  }

  private void store(String key, ReturnHistory history) {
    table.store(List.of(charge(key)), List.of(history));
  }

  @Test
  void historyIsFoundUntilItExpires() {
    store("a", until(100));
    assertThat(find("a", 99)).isEqualTo(until(100));
    assertThat(find("a", 100)).isEqualTo(ReturnHistory.NONE);
    assertThat(find("b", 99)).isEqualTo(ReturnHistory.NONE);
  }

  @Test
  void counterWithoutAHistoryIsNotStored() {
    store("a", ReturnHistory.NONE);
    store("b", ReturnHistory.FULL);
    assertThat(table.size()).isZero();
  }

  @Test
  void fullTableHasRoomAgainWhenAHistoryHasExpired() {
    store("a", until(100));
    store("b", until(200));
    assertThat(find("c", 50)).isEqualTo(ReturnHistory.FULL);
    assertThat(find("a", 50)).isEqualTo(until(100));
    table.sweep(100);
    assertThat(find("c", 100)).isEqualTo(ReturnHistory.NONE);
    assertThat(table.size()).isEqualTo(1);
    table.sweep(200);
    assertThat(table.bytes()).isZero();
  }
}
