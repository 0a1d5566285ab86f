package io.headgate.server.http.check;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.rule.Subject;
import org.junit.jupiter.api.Test;

class CheckRequestReaderTest {
  private static Subject subject(String json) {
    return CheckRequestReader.readOne(json.getBytes(UTF_8), CheckField.OF_CHECK).subject();
  }

  @Test
  void negativeZeroIsTheSameIdentifierAsZero() {
    assertThat(subject("{\"subject\":{\"user\":-0}}")).isEqualTo(Subject.of("user", "0"));
    assertThat(subject("{\"subject\":{\"user\":\"-0\"}}")).isEqualTo(Subject.of("user", "-0"));
  }

  @Test
  void wholeNumbersAndBooleansAreIdentifiers() {
    assertThat(subject("{\"subject\":{\"user\":-42}}")).isEqualTo(Subject.of("user", "-42"));
    assertThat(subject("{\"subject\":{\"user\":true}}")).isEqualTo(Subject.of("user", "true"));
  }
}
