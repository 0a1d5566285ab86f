package io.headgate.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.Collections;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A body that must be rejected, and the field that the rejection must name. */
final class BadInput {
  private final String description; // bodies may be long and unprintable
  private final byte[] body;
  private final String field;

  private BadInput(String description, byte[] body, String field) {
    this.description = description;
    this.body = body;
    this.field = field;
  }

  byte[] body() {
    return body;
  }

  String field() {
    return field;
  }

  @Override
  public String toString() {
    return description;
  }

  static BadInput of(String body, String field) {
    String shown = body.length() > 60 ? body.substring(0, 60) + "…" : body;
    return new BadInput(printable(shown) + " → " + field, body.getBytes(UTF_8), field);
  }

  private static String printable(String text) {
    return text.chars()
        .mapToObj(c -> c < ' ' ? "\\x%02x".formatted(c) : Character.toString(c))
        .collect(Collectors.joining());
  }

  /** Returns the invalid fields of one check, without the braces around them. */
  static List<String[]> fields() {
    return Stream.of(keys(), subjects(), costs(), namedCosts(), waits(), others())
        .flatMap(s -> s)
        .toList();
  }

  private static Stream<String[]> pairs(String... alternating) {
    return IntStream.range(0, alternating.length / 2)
        .mapToObj(i -> new String[] {alternating[2 * i], alternating[2 * i + 1]});
  }

  private static Stream<String[]> keys() {
    var values =
        Stream.of(
            "null",
            "{}",
            "[]",
            "[\"user:42\"]",
            "{\"user\":\"42\"}",
            "1.5",
            "1e3",
            "-0.0",
            "\"\"",
            "\"" + "x".repeat(1025) + "\"",
            "\"" + "ü".repeat(1025) + "\"",
            "1".repeat(1025),
            "1".repeat(3000),
            "\"\\ud800\"",
            "\"\\udc00\"",
            "\"\\udc00\\ud800\"",
            "\"a\\udbffb\"",
            "\"\\ud800\\u0041\"",
            "\"\\x41\"",
            "\"\\u12\"",
            "\"\\u12g4\"",
            "user:42",
            "'user:42'",
            "NaN",
            "Infinity",
            "undefined",
            "True",
            "nul",
            "tru",
            "\"open",
            "0x1F",
            "01",
            "--1");
    var escaped =
        IntStream.concat(IntStream.range(0, 0x20), IntStream.range(0x7f, 0xa0))
            .mapToObj("\"user:\\u%04x\""::formatted);
    var raw = IntStream.range(0, 0x20).mapToObj(c -> "\"user:" + (char) c + "\"");
    return Stream.of(values, escaped, raw, Stream.of("\"del\u007f\"", "\"c1\u0085\""))
        .flatMap(s -> s)
        .map(value -> new String[] {"\"key\":" + value, "key"});
  }

  private static Stream<String[]> subjects() {
    String tooMany =
        IntStream.range(0, 33).mapToObj(i -> "\"a" + i + "\":1").collect(Collectors.joining(","));
    return pairs(
        "\"subject\":null",
        "subject",
        "\"subject\":\"user:42\"",
        "subject",
        "\"subject\":42",
        "subject",
        "\"subject\":[]",
        "subject",
        "\"subject\":[{\"user\":\"42\"}]",
        "subject",
        "\"subject\":{}",
        "subject",
        "\"subject\":true",
        "subject",
        "\"subject\":{\"user\":null}",
        "subject.user",
        "\"subject\":{\"user\":{}}",
        "subject.user",
        "\"subject\":{\"user\":{\"id\":42}}",
        "subject.user",
        "\"subject\":{\"user\":[]}",
        "subject.user",
        "\"subject\":{\"user\":[1,2]}",
        "subject.user",
        "\"subject\":{\"user\":1.5}",
        "subject.user",
        "\"subject\":{\"user\":1e9}",
        "subject.user",
        "\"subject\":{\"user\":NaN}",
        "subject.user",
        "\"subject\":{\"user\":\"\"}",
        "subject.user",
        "\"subject\":{\"user\":\"a\\u0000b\"}",
        "subject.user",
        "\"subject\":{\"user\":\"a\\nb\"}",
        "subject.user",
        "\"subject\":{\"user\":\"\\ud834\"}",
        "subject.user",
        "\"subject\":{\"user\":\"" + "x".repeat(1025) + "\"}",
        "subject.user",
        "\"subject\":{\"user\":" + "9".repeat(1025) + "}",
        "subject.user",
        "\"subject\":{\"ok\":\"1\",\"user\":\"\"}",
        "subject.user",
        "\"subject\":{\"\":\"42\"}",
        "subject.",
        "\"subject\":{\"" + "n".repeat(65) + "\":\"42\"}",
        "subject.nnnn",
        "\"subject\":{\"us\\u0000er\":\"42\"}",
        "subject.us",
        "\"subject\":{\"us\\u0085er\":\"42\"}",
        "subject.us",
        "\"subject\":{\"us\\ud800er\":\"42\"}",
        "subject",
        "\"subject\":{\"user\":\"42\",\"user\":\"42\"}",
        "subject.user",
        "\"subject\":{\"user\":\"42\",\"path\":\"/\",\"user\":\"43\"}",
        "subject.user",
        "\"subject\":{" + tooMany + "}",
        "subject.a32",
        "\"subject\":{\"user\" \"42\"}",
        "subject",
        "\"subject\":{user:\"42\"}",
        "subject",
        "\"subject\":{\"user\":\"42\",}",
        "subject",
        "\"subject\":{\"user\":" + "[".repeat(5_000),
        "subject.user",
        "\"subject\":{\"user\":" + "{\"a\":".repeat(5_000),
        "subject.user");
  }

  private static final List<String> NO_COSTS =
      List.of(
          "-1",
          "-9223372036854775808",
          "1.5",
          "0.1",
          "1.0",
          "1e2",
          "1E400",
          "-0.0",
          "1e-1",
          "NaN",
          "-NaN",
          "Infinity",
          "-Infinity",
          "\"1\"",
          "\"\"",
          "true",
          "false",
          "null",
          "{}",
          "[]",
          "[1]",
          "9007199254740993",
          "9223372036854775807",
          "9223372036854775808",
          "1000000000000000000000000000000",
          "9".repeat(500),
          "9".repeat(3_000),
          "01",
          "+1",
          "0x10",
          "1_000",
          ".5",
          "5.",
          "-",
          "1e",
          "1e+",
          "'1'",
          "one",
          "1 2",
          "١");

  private static Stream<String[]> costs() {
    return NO_COSTS.stream()
        .flatMap(value ->
            Stream.of(
                new String[] {"\"key\":\"user:42\",\"cost\":" + value, "cost"},
                new String[] {"\"cost\":" + value + ",\"key\":\"user:42\"", "cost"}));
  }

  private static Stream<String[]> namedCosts() {
    String tooMany =
        IntStream.range(0, 17).mapToObj(i -> "\"c" + i + "\":1").collect(Collectors.joining(","));
    var values =
        NO_COSTS.stream()
            .map(value -> new String[] {"\"costs\":{\"bytes\":" + value + "}", "costs.bytes"});
    var shapes =
        pairs(
            "\"costs\":null",
            "costs",
            "\"costs\":1",
            "costs",
            "\"costs\":\"bytes=1\"",
            "costs",
            "\"costs\":[1]",
            "costs",
            "\"costs\":[{\"bytes\":1}]",
            "costs",
            "\"costs\":{\"\":1}",
            "costs.",
            "\"costs\":{\"" + "n".repeat(65) + "\":1}",
            "costs.nnnn",
            "\"costs\":{\"by\\u0000tes\":1}",
            "costs.by",
            "\"costs\":{\"bytes\":1,\"bytes\":1}",
            "costs.bytes",
            "\"costs\":{\"bytes\":{\"in\":1}}",
            "costs.bytes",
            "\"costs\":{" + tooMany + "}",
            "costs.c16");
    return Stream.concat(values, shapes)
        .map(bad -> new String[] {"\"key\":\"user:42\"," + bad[0], bad[1]});
  }

  private static Stream<String[]> waits() {
    return Stream.of("1", "0", "\"true\"", "null", "{}", "[]", "True", "yes", "1.0")
        .map(value -> new String[] {"\"key\":\"user:42\",\"wait\":" + value, "wait"});
  }

  private static Stream<String[]> others() {
    var unknown =
        Stream.of(
                "Key",
                "KEY",
                "keys",
                " key",
                "key ",
                "user",
                "tokens",
                "tokensRequested",
                "rule",
                "checks",
                "cots",
                "",
                "__proto__",
                "$ref",
                "cost\\u0000",
                "a".repeat(200))
            .map(name ->
                new String[] {
                  "\"key\":\"user:42\",\"" + name + "\":1",
                  name.length() > 40 ? name.substring(0, 40) : name.replace("\\u0000", "")
                });
    var rest =
        pairs(
            "", "subject",
            "\"cost\":1", "subject",
            "\"key\":\"user:42\",\"key\":\"user:42\"", "key",
            "\"key\":\"user:42\",\"cost\":1,\"cost\":1", "cost",
            "\"key\":\"user:42\",\"costs\":{},\"costs\":{}", "costs",
            "\"subject\":{\"user\":1},\"subject\":{\"user\":1}", "subject",
            "\"key\":\"user:42\",\"subject\":{\"user\":\"42\"}", "subject",
            "\"subject\":{\"user\":\"42\"},\"key\":\"user:42\"", "key",
            "\"key\":\"user:42\",", "key",
            ",\"key\":\"user:42\"", "",
            "\"key\":\"user:42\" \"cost\":1", "key",
            "\"key\":\"user:42\",\"cost\"", "cost",
            "\"key\"", "key",
            "\"key\",\"user:42\"", "key",
            "\"key\"=\"user:42\"", "key",
            "\"key\":\"user:42\";\"cost\":1", "key",
            "key:\"user:42\"", "",
            "'key':'user:42'", "",
            "\"key\":\"user:42\"/*x*/", "key",
            "//x\n\"key\":\"user:42\"", "",
            "\"key\":\"user:42\"#x", "key");
    return Stream.concat(unknown, rest);
  }

  /** Returns bodies that are not a JSON object. */
  static Stream<BadInput> bodies() {
    var texts =
        Stream.of(
            "",
            " ",
            "\n\n",
            "x",
            "null",
            "true",
            "1",
            "-",
            "\"user:42\"",
            "[]",
            "[{}]",
            "[{\"key\":\"user:42\"}]",
            "{",
            "}",
            "{]",
            "[}",
            "{{",
            "{{}}",
            "{}{}",
            "key=user:42",
            "<key>user:42</key>",
            "---\nkey: user:42",
            "{\"key\":\"user:42\"}x",
            "{\"key\":\"user:42\"}}",
            "{\"key\":\"user:42\"}]",
            "{\"key\":\"user:42\"},",
            "{\"key\":\"user:42\"}{\"key\":\"user:42\"}",
            "{\"key\":\"user:42\"} null",
            "{\"key\":\"user:42\"}\u0000",
            "\u0000{\"key\":\"user:42\"}",
            "\u00a0{}",
            "{\"key\":\"user:42\"",
            "{\"key\":\"user:42",
            "{\"key\":",
            "{\"key\"",
            "{\"ke",
            "[".repeat(10_000),
            "{\"a\":".repeat(10_000),
            "[[[[[[[[]]]]]]]]",
            "\u2028{}");
    return Stream.concat(texts.map(text -> BadInput.of(text, "")), encodings());
  }

  private static Stream<BadInput> encodings() {
    String good = "{\"key\":\"user:42\"}";
    var charsets =
        Stream.of("UTF-16", "UTF-16LE", "UTF-16BE", "UTF-32", "UTF-32LE", "UTF-32BE")
            .map(charset ->
                new BadInput(
                    charset, good.getBytes(java.nio.charset.Charset.forName(charset)), "body"));
    int[][] sequences = {
      {0x80},
      {0xbf},
      {0xff},
      {0xfe},
      {0xc0, 0x80},
      {0xc0, 0xaf},
      {0xc1, 0xbf},
      {0xc3},
      {0xc3, 0x28},
      {0xe2, 0x82},
      {0xe2, 0x28, 0xa1},
      {0xe0, 0x80, 0x80},
      {0xe0, 0x9f, 0xbf},
      {0xed, 0xa0, 0x80},
      {0xed, 0xbf, 0xbf},
      {0xf0, 0x80, 0x80, 0x80},
      {0xf0, 0x9f, 0x98},
      {0xf4, 0x90, 0x80, 0x80},
      {0xf5, 0x80, 0x80, 0x80},
      {0xf8, 0x88, 0x80, 0x80, 0x80},
      {0xfc, 0x84, 0x80, 0x80, 0x80, 0x80}
    };
    var invalid =
        Stream.of(sequences)
            .flatMap(sequence ->
                Stream.of("{\"key\":\"user:@\"}", "{\"subject\":{\"u@\":\"1\"}}", "@" + good)
                    .map(text -> spliced(text, sequence)));
    return Stream.concat(charsets, invalid);
  }

  private static BadInput spliced(String text, int[] bytes) {
    var before = text.substring(0, text.indexOf('@')).getBytes(UTF_8);
    var after = text.substring(text.indexOf('@') + 1).getBytes(UTF_8);
    var all = new byte[before.length + bytes.length + after.length];
    System.arraycopy(before, 0, all, 0, before.length);
    for (int i = 0; i < bytes.length; i++) all[before.length + i] = (byte) bytes[i];
    System.arraycopy(after, 0, all, before.length + bytes.length, after.length);
    String shown = IntStream.of(bytes).mapToObj("%02x"::formatted).collect(Collectors.joining(" "));
    return new BadInput(text + " with " + shown, all, "body");
  }

  static String repeated(String text, int times) {
    return String.join(",", Collections.nCopies(times, text));
  }
}
