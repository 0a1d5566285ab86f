package io.headgate.server.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonFactory;
import io.vertx.core.internal.buffer.BufferInternal;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonWriterTest {
  private static String written(String text) {
    return new JsonWriter().beginList().value(text).endList().toString();
  }

  @Test
  void membersAndElementsAreSeparatedWithoutSpaces() {
    var out = new JsonWriter().begin().name("a").value(1).name("b").value(List.of("x", "y"));
    out.name("c").value(new long[] {-1, Long.MAX_VALUE}).name("d").beginList().begin().end();
    out.begin().name("e").nullValue().end().endList().name("f").value(true);
    out.textOrNull("g", Optional.empty())
        .textOrNull("h", Optional.of("i"))
        .name("j")
        .json("{\"k\":[]}");
    assertThat(out.end())
        .hasToString(
            "{\"a\":1,\"b\":[\"x\",\"y\"],\"c\":[-1,9223372036854775807],\"d\":[{},{\"e\":null}],"
                + "\"f\":true,\"g\":null,\"h\":\"i\",\"j\":{\"k\":[]}}");
  }

  @Test
  void everyControlCharacterIsEscapedByItsNumber() {
    for (char c = 0; c < 0xa0; c++) {
      if (c >= ' ' && c < 0x7f) continue;
      assertThat(written("<" + c + ">")).isEqualTo("[\"<\\u%04x>\"]".formatted((int) c));
    }
    assertThat(written("a\"b\\c/")).isEqualTo("[\"a\\\"b\\\\c/\"]");
  }

  @Test
  void otherCharactersAreWrittenAsUtf8() {
    String text = "é\u00a0漢\u2028😀";
    assertThat(new JsonWriter().beginList().value(text).endList().buffer().getBytes())
        .isEqualTo(("[\"" + text + "\"]").getBytes(StandardCharsets.UTF_8));
  }

  @Test
  void unpairedSurrogateBecomesTheReplacementCharacter() {
    assertThat(written("a\ud83d")).isEqualTo("[\"a\ufffd\"]");
    assertThat(written("\ude00\ud83d\ude00\ud83db")).isEqualTo("[\"\ufffd😀\ufffdb\"]");
    assertThat(new JsonWriter().begin().member("\ud83d\"", "v").end())
        .hasToString("{\"\ufffd\\\"\":\"v\"}");
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0",
    "-0.0, 0",
    "1, 1",
    "1000, 1000",
    "0.5, 0.5",
    "0.25, 0.25",
    "0.0625, 0.063",
    "-0.001, -0.001",
    "-0.0001, 0",
    "-12.34, -12.34",
    "123456789.125, 123456789.125",
    "1e15, 1000000000000000",
    "NaN, null",
    "Infinity, null",
  })
  void decimalHasAtMostThreePlaces(double number, String text) {
    assertThat(new JsonWriter().beginList().value(number).endList()).hasToString("[" + text + "]");
  }

  @Test
  void longJsonTakesNoMoreMemoryThanItsLength() {
    var out = new JsonWriter().beginList();
    for (int i = 0; i < 10_000; i++) out.value(i);
    var buffer = (BufferInternal) out.endList().buffer();
    assertThat(buffer.getByteBuf().capacity()).isEqualTo(buffer.length()).isGreaterThan(40_000);
  }

  @ParameterizedTest
  @ValueSource(
      longs = {0, -1, 9, 10, -10, 99, 100, 999_999_999_999_999_999L, 1_000_000_000_000_000_000L})
  void integerHasAllItsDigits(long number) {
    for (long n : new long[] {number, -number, Long.MAX_VALUE - number, Long.MIN_VALUE + number}) {
      assertThat(new JsonWriter().value(n)).hasToString(Long.toString(n));
    }
  }

  @Test
  void everyCharacterIsReadBackByJackson() throws IOException {
    for (int c = 0; c <= Character.MAX_CODE_POINT; c++) {
      if (c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE) continue;
      if (c > 0x300 && c % 251 != 0) continue;
      String text = "a" + Character.toString(c) + "b";
      try (var parser = new JsonFactory().createParser(written(text))) {
        parser.nextToken();
        assertThat(parser.nextTextValue()).isEqualTo(text);
      }
    }
  }

  @Test
  void encodedNameIsWrittenAsItsText() {
    var out = new JsonWriter().begin().name(JsonName.of("retryAfterMs")).value(1);
    assertThat(out.name(JsonName.of("violated-policies")).nullValue().end())
        .hasToString("{\"retryAfterMs\":1,\"violated-policies\":null}");
    assertThatThrownBy(() -> JsonName.of("a\"b")).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> JsonName.of("é")).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void nestingBeyondTheMaximumIsRejected() {
    var out = new JsonWriter();
    for (int i = 0; i < 64; i++) out.beginList();
    assertThatThrownBy(out::begin).isInstanceOf(IllegalStateException.class);
    for (int i = 0; i < 64; i++) out.endList();
    assertThat(out).hasToString("[".repeat(64) + "]".repeat(64));
  }

  @Test
  void callsThatDoNotFormJsonAreRejected() {
    var list = new JsonWriter().beginList();
    assertRejected(() -> list.name("a"), () -> list.name(JsonName.of("a")), list::end);
    var object = new JsonWriter().begin();
    assertRejected(
        () -> object.value(1), () -> object.value("a"), object::nullValue, object::endList);
    object.name("a");
    assertRejected(() -> object.name("b"), object::end);
    assertThat(object.value(1).end()).hasToString("{\"a\":1}");
    assertRejected(object::begin, () -> object.value(true), () -> object.name("b"), object::end);
  }

  private static void assertRejected(ThrowingCallable... calls) {
    for (var call : calls) assertThatThrownBy(call).isInstanceOf(IllegalStateException.class);
  }
}
