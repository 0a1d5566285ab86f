package io.headgate.rulefile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.Rate;
import io.headgate.limit.TokenBucket;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ReadLimitTest {
  @Test
  void readsALimitWithoutARule() {
    assertThat(
            RuleFile.readLimit("{algorithm: token-bucket, rate: 100/10s, burst: 50}", "x").limit())
        .isEqualTo(TokenBucket.of(Rate.of(100, Duration.ofSeconds(10))).withBurst(50));
  }

  @Test
  void fieldsOfARuleAreValidatedAndDropped() {
    String text = "{algorithm: token-bucket, rate: 1/1s, name: calls, per: [user], cost: bytes}";
    assertThat(RuleFile.readLimit(text, "x").limit()).isEqualTo(TokenBucket.of(Rate.perSecond(1)));
    assertThatThrownBy(() -> RuleFile.readLimit(text.replace("[user]", "{}"), "limits[2].limit"))
        .isInstanceOf(RuleFileException.class)
        .hasMessageContaining("limits[2].limit.per");
  }

  @Test
  void problemsBeginWithTheGivenPath() {
    assertThatThrownBy(
            () -> RuleFile.readLimit("\n  {\"algorithm\":\"fixed-windw\"}", "limits[0].limit"))
        .isInstanceOf(RuleFileException.class)
        .hasMessageContaining("2:16: limits[0].limit.algorithm")
        .hasMessageContaining("did you mean fixed-window?");
    assertThatThrownBy(() -> RuleFile.readLimit("7", "it"))
        .hasMessageContaining("it: must be a map such as { algorithm: token-bucket");
  }

  @Test
  void problemsInAnExcerptHavePositionsOfTheWholeText() {
    assertThatThrownBy(() -> RuleFile.readLimit("{\"algorithm\":\"fixed-windw\"}", "it", 7, 30))
        .isInstanceOf(RuleFileException.class)
        .hasMessageContaining("7:43: it.algorithm");
    assertThatThrownBy(() -> RuleFile.readLimit("{\n \"algorithm\":\"fixed-windw\"}", "it", 7, 30))
        .hasMessageContaining("8:14: it.algorithm");
    assertThatThrownBy(() -> RuleFile.readLimit("{", "it", 7, 30)).hasMessageContaining("7:31: ");
  }
}
