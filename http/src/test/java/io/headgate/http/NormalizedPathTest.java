package io.headgate.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.headgate.http.PathReadings.Parameters;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The treatment of every kind of spelling, as the documentation states it: the path in the filters,
 * and the readings for a server that is unknown.
 */
class NormalizedPathTest {
  private static final String REFUSED = "400";

  /** A slash within a segment is shown as {@code ⁄}, a byte that is escaped as {@code [FF]}. */
  private static String shown(String path) {
    return path.replace("\uFFFD2F", "⁄").replaceAll("\uFFFD(..)", "[$1]");
  }

  private static String inFilters(String raw) {
    try {
      return shown(NormalizedPath.of(raw));
    } catch (AmbiguousPathException e) {
      return REFUSED;
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        // raw path              | in filters   | readings for an unknown server
        "/login                  | /login       | /login",
        "/Login                  | /Login       | /Login",
        "/login/                 | /login/      | /login/",
        "/login.                 | /login.      | /login.",
        "/login...               | /login...    | /login...",
        "/.well-known            | /.well-known | /.well-known",
        "/%6c%6Fgin              | /login       | /login",
        "/%256cogin              | /%6cogin     | /%6cogin",
        "/login%252f             | /login%2f    | /login%2f",
        "/login%20               | `/login `    | `/login `",
        "/a+b                    | /a+b         | /a+b",
        "/caf%C3%A9              | /café        | /café",
        "/login;v=1              | /login       | /login, /login;v=1",
        "/a;x/b;y/               | /a/b/        | /a/b/, /a;x/b;y/",
        "/login%3bv=1            | /login;v=1   | /login, /login;v=1",
        "/login;a=%2f            | /login       | /login, /login;a=/, /login/, /login;a=⁄",
        "/login;%2f..%2fhealth   | /login       | /login, /health, /login;/../health, /login;⁄..⁄health, /login/../health",
        "//login                 | 400          | /login, //login",
        "/a//b                   | 400          | /a/b, /a//b",
        "/;x/login               | 400          | /login, //login, /;x/login",
        "/a/./b                  | 400          | /a/b, /a/./b",
        "/a/../login             | 400          | /login, /a/../login",
        "/a/%2e%2E/login         | 400          | /login, /a/../login",
        "/api//../health         | 400          | /health, /api/../health, /api/health, /api//../health",
        "/api/..;/health         | 400          | /health, /api/../health, /api/..;/health",
        "/a%2fb                  | 400          | /a/b, /a⁄b",
        "/a%5cb                  | 400          | /a\\b, /a/b",
        "/a\\b                   | 400          | /a\\b, /a/b",
        "/login%00.txt           | 400          | /login[00].txt, /login, /login.txt",
        "/login%0a               | 400          | /login[0A], /login",
        "/login#top              | 400          | /login, /login#top",
        "/caf%E9                 | 400          | /caf[E9], /café",
        "/caf%25E9               | /caf%E9      | /caf%E9",
        "/%c0%af                 | 400          | /[C0][AF], /À¯",
        "/100%                   | 400          | /100%",
        "/%zz%4                  | 400          | /%zz%4",
        "*                       | /*           | /*",
        "login                   | 400          | /login",
        "``                      | /            | /",
      })
  void spellingIsReadAsDocumented(String raw, String filters, String readings) {
    assertThat(inFilters(raw)).as("in filters").isEqualTo(filters);
    assertThat(PathReadings.of(raw, Parameters.UNKNOWN).stream().map(NormalizedPathTest::shown))
        .as("readings")
        .containsExactlyInAnyOrder(readings.split(", "));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/log in", "/caf\u00c3\u00a9", "/\u016Cogin", "/a\nb", "/a?b", "/a\tb"})
  void charactersThatAUriDoesNotHaveAreRefusedInFilters(String raw) {
    assertThat(inFilters(raw)).isEqualTo(REFUSED);
  }

  @ParameterizedTest
  @CsvSource({
    "/login?next=/,/login",
    "/login?next=/../x,/login",
    "http://example.com/login?x,/login",
    "HTTPS://example.com,/",
    "http://example.com?x,/",
    "/http://example.com//login,/http:/example.com/login",
  })
  void originAndQueryOfATargetAreRemoved(String target, String first) {
    assertThat(PathReadings.of(target, Parameters.UNKNOWN)).first().isEqualTo(first);
  }

  @Test
  void pathInTheBytesOfUtf8IsDecoded() {
    assertThat(PathReadings.of("/caf\u00c3\u00a9", Parameters.UNKNOWN)).containsExactly("/café");
  }

  @Test
  void serverThatRemovesParametersHasOneReadingOfThem() {
    assertThat(PathReadings.of("/login;%2f..%2fhealth", Parameters.REMOVED))
        .containsExactly("/login");
    assertThat(PathReadings.of("/a%2fb;x", Parameters.REMOVED)).hasSize(2);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "/login?a=/../;%2f | /login?a=/../;%2f",
        "/caf%c3%A9%20     | /caf%c3%A9%20",
        "/%6cogin?x        | /login?x",
        "/login;v=1?x      | /login?x, /login;v=1?x",
        "/a%2Fb            | /a/b, /a%2Fb",
      })
  void encodedReadingsKeepEscapesAndTheQuery(String target, String readings) {
    assertThat(PathReadings.encoded(target)).containsExactlyInAnyOrder(readings.split(", "));
  }

  @Test
  void workForOneRequestIsBounded() {
    var hostile =
        List.of(
            "/a;x" + "/..;/%2f..%5c..\\..//%00/%2e%2e;%2f/./%3b".repeat(50),
            "/a;x/../" + "b".repeat(PathReadings.MAX_CHARACTERS));
    for (var target : hostile) {
      assertThatExceptionOfType(AmbiguousPathException.class)
          .isThrownBy(() -> PathReadings.of(target, Parameters.UNKNOWN));
      assertThatExceptionOfType(AmbiguousPathException.class)
          .isThrownBy(() -> PathReadings.encoded(target));
    }
    String longPath = "/" + "a".repeat(PathReadings.MAX_CHARACTERS) + "%20";
    assertThat(PathReadings.of(longPath, Parameters.UNKNOWN)).hasSize(1);
  }
}
