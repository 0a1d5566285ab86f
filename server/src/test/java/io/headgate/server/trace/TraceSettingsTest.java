package io.headgate.server.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TraceSettingsTest {
  @ParameterizedTest
  @CsvSource({
    "http://127.0.0.1:4318, http://127.0.0.1:4318/v1/traces",
    "http://127.0.0.1:4318/, http://127.0.0.1:4318/v1/traces",
    "https://otel.example/tenant, https://otel.example/tenant/v1/traces",
    "https://otel.example/v1/traces, https://otel.example/v1/traces",
  })
  void pathOfTracesIsAppendedToTheUrl(String given, String endpoint) {
    assertThat(TraceSettings.of(given, 1).endpoint()).hasToString(endpoint);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1:4318",
        "grpc://host:4317",
        "http://u:secret@host",
        "http://h/?a=secret"
      })
  void invalidUrlIsNotPrinted(String given) {
    assertThatThrownBy(() -> TraceSettings.of(given, 1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("such as http://127.0.0.1:4318")
        .hasMessageNotContaining("secret");
  }

  @ParameterizedTest
  @ValueSource(doubles = {-0.1, 1.1, Double.NaN})
  void ratioIsBetweenZeroAndOne(double ratio) {
    assertThatThrownBy(() -> TraceSettings.of("http://127.0.0.1:4318", ratio))
        .hasMessage("trace-ratio must be 0 to 1, got " + ratio);
  }

  @Test
  void logShowsNoPath() {
    assertThat(TraceSettings.of("http://127.0.0.1:4318/secret", 1).shown())
        .isEqualTo("http://127.0.0.1:4318");
  }
}
