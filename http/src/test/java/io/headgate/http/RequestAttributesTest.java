package io.headgate.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.rule.Subject;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RequestAttributesTest {
  @Test
  void attributesAreCollectedAndMissingValuesLeftOut() {
    var subject =
        new RequestAttributes().add("user", null).add("ip", "192.0.2.7").add("key", "").subject();
    assertThat(subject).isEqualTo(Subject.of("ip", "192.0.2.7"));
  }

  @Test
  void everyTextBecomesAValidAttribute() {
    var attributes =
        new RequestAttributes()
            .add("control", "a\nb")
            .add("bytes", "caf\u00c3\u00a9")
            .add("text", "\u4e2d")
            .add("long", "x".repeat(5_000))
            .subject()
            .attributes();
    assertThat(attributes)
        .containsAllEntriesOf(
            Map.of("control", "a\uFFFD0Ab", "bytes", "caf\u00e9", "text", "\u4e2d"));
    assertThat(attributes.get("long")).contains("#sha256:").hasSizeLessThanOrEqualTo(1024);
  }

  @Test
  void attributesBeyondTheMaximumAreRefused() {
    var attributes = new RequestAttributes();
    for (int i = 0; i < Subject.MAX_ATTRIBUTES; i++) attributes.add("a" + i, "1");
    assertThat(attributes.subject().attributes()).hasSize(Subject.MAX_ATTRIBUTES);
    assertThatThrownBy(() -> attributes.add("more", "1")).hasMessageContaining("one too many");
  }
}
