package io.headgate.client.outbound;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class QuotaFieldTest {
  @Test
  void itemsHaveTheirNameAndIntegerParameters() {
    assertThat(QuotaField.parse(List.of("\"burst\";r=50;t=30, \"da\\\"ily\";r=900")))
        .containsExactly(
            new QuotaField("burst", Map.of("r", 50L, "t", 30L)),
            new QuotaField("da\"ily", Map.of("r", 900L)));
  }

  @Test
  void otherParametersAreDropped() {
    assertThat(
            QuotaField.parse(
                List.of("default;q=100;w=60;qu=\"requests\";pk=:QWxh:;x;y=?1;z=1.5;r=-1")))
        .containsExactly(new QuotaField("default", Map.of("q", 100L, "w", 60L, "r", -1L)));
  }

  @Test
  void linesOfOneFieldAreOneList() {
    assertThat(QuotaField.parse(List.of("\"a\";r=1", "\"b\";r=2"))).hasSize(2);
    assertThat(QuotaField.parse(List.of())).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"a\";r=1,",
        "\"a",
        "\"a\";r=",
        "\"a\";r=1 \"b\"",
        "\"a\";;r=1",
        "\"a\";R=1",
        "\"a\";r=9999999999999999",
        "\"a\";pk=:x",
        "\"a\u0007\";r=1",
        ",",
        "=1"
      })
  void invalidFieldIsIgnoredAsAWhole(String field) {
    assertThat(QuotaField.parse(List.of(field))).isEmpty();
  }

  @Test
  void longFieldIsIgnored() {
    assertThat(QuotaField.parse(List.of("\"a\";r=1,".repeat(40) + "\"a\";r=1"))).isEmpty();
    assertThat(QuotaField.parse(List.of("\"" + "a".repeat(9_000) + "\";r=1"))).isEmpty();
  }
}
