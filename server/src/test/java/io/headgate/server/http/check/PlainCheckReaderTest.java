package io.headgate.server.http.check;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.rule.Request;
import io.headgate.rule.Subject;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** That a body which is read has the same meaning in JSON is a matter of the fuzz tests. */
class PlainCheckReaderTest {
  private static @Nullable CheckRequest read(String body) {
    return PlainCheckReader.read(body.getBytes(UTF_8));
  }

  private static void assertRead(String body, Subject subject, long cost) {
    var check = read(body);
    assertThat(check).isNotNull();
    assertThat(check.request()).isEqualTo(new Request(subject, cost, Map.of()));
    assertThat(check.waits()).isFalse();
  }

  @Test
  void frequentFormsAreRead() {
    assertRead("{\"key\":\"user:42\"}", Subject.of("user:42"), 1);
    assertRead("{ \"key\" : \"a b\" ,\n \"cost\" : 999999999 }", Subject.of("a b"), 999_999_999);
    assertRead("{\"cost\":7,\"key\":\"~\"}", Subject.of("~"), 7);
    assertRead("{\"subject\":{\"user\":\"42\"}}", Subject.of("user", "42"), 1);
    assertRead(
        "{\"subject\": {\"user\": \"42\", \"ip\": \"::1\"}, \"cost\": 2}",
        Subject.ofPairs("user", "42", "ip", "::1"),
        2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "{",
        "{}",
        "[]",
        "{\"key\"",
        "{\"key\":",
        "{\"key\":\"",
        "{\"key\":\"a",
        "{\"key\":\"a\"",
        "{\"key\":\"a\"}}",
        "{\"key\":\"a\"} ",
        "{\"key\":\"a\",}",
        "{,\"key\":\"a\"}",
        "{\"key\":\"\"}",
        "{\"key\":\"\\u0041\"}",
        "{\"key\":\"é\"}",
        "{\"key\":\"a\tb\"}",
        "{\"key\":\"\u007f\"}",
        "{\"key\":42}",
        "{\"key\":null}",
        "{\"keys\":\"a\"}",
        "{\"key\":\"a\",\"key\":\"a\"}",
        "{\"key\":\"a\",\"subject\":{\"user\":\"b\"}}",
        "{\"key\":\"a\",\"wait\":true}",
        "{\"key\":\"a\",\"rule\":\"b\"}",
        "{\"key\":\"a\",\"costs\":{\"bytes\":1}}",
        "{\"key\":\"a\",\"cost\":0}",
        "{\"key\":\"a\",\"cost\":-1}",
        "{\"key\":\"a\",\"cost\":01}",
        "{\"key\":\"a\",\"cost\":1.5}",
        "{\"key\":\"a\",\"cost\":1e3}",
        "{\"key\":\"a\",\"cost\":1000000000}",
        "{\"key\":\"a\",\"cost\":1,\"cost\":1}",
        "{\"key\":\"a\",\"cost\":\"1\"}",
        "{\"key\":\"a\",\"cost\":}",
        "{\"key\":\"a\",\"cost\":",
        "{\"cost\":1}",
        "{\"subject\":{}}",
        "{\"subject\":{\"\":\"a\"}}",
        "{\"subject\":{\"user\":\"a\",\"user\":\"a\"}}",
        "{\"subject\":{\"user\":1}}",
        "{\"subject\":\"a\"}",
        "{\"subject\":{\"user\":\"a\"}"
      })
  void otherBodiesAreLeftToTheFullReader(String body) {
    assertThat(read(body)).isNull();
  }

  @Test
  void limitsOfSubjectsAreThoseOfTheFullReader() {
    String longest = "v".repeat(Subject.MAX_VALUE_LENGTH);
    assertRead("{\"key\":\"%s\"}".formatted(longest), Subject.of(longest), 1);
    assertThat(read("{\"key\":\"%sv\"}".formatted(longest))).isNull();
    String name = "n".repeat(Subject.MAX_NAME_LENGTH);
    assertRead("{\"subject\":{\"%s\":\"a\"}}".formatted(name), Subject.of(name, "a"), 1);
    assertThat(read("{\"subject\":{\"%sn\":\"a\"}}".formatted(name))).isNull();
    assertThat(read(attributes(Subject.MAX_ATTRIBUTES))).isNotNull();
    assertThat(read(attributes(Subject.MAX_ATTRIBUTES + 1))).isNull();
  }

  private static String attributes(int count) {
    return IntStream.range(0, count)
        .mapToObj("\"a%d\":\"v\""::formatted)
        .collect(Collectors.joining(",", "{\"subject\":{", "}}"));
  }
}
