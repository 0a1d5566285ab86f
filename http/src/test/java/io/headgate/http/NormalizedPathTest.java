package io.headgate.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NormalizedPathTest {
  @ParameterizedTest
  @CsvSource({
    "/login,/login",
    "/login?next=/,/login",
    "/login#top,/login",
    "/login/,/login/",
    "/Login,/Login",
    "//login,/login",
    "/a/./b/../login,/a/login",
    "/../../login,/login",
    "/a/..,/",
    "/%6cogin,/login",
    "/%6Cogin,/login",
    "/a%2flogin,/a/login",
    "/a/%2e%2e/login,/login",
    "/a/..%2flogin,/login",
    "/%256cogin,/%6cogin",
    "/login;jsessionid=1,/login",
    "/login;a/..;b/admin,/admin",
    "/caf%C3%A9,/café",
    "/caf%E9,/caf\uFFFDE9",
    "/caf%25E9,/caf%E9",
    "/a%00b%0a,/a\uFFFD00b\uFFFD0A",
    "/100%,/100%",
    "/%zz%4,/%zz%4",
    "http://example.com/login?x,/login",
    "HTTPS://example.com,/",
    "*,/*",
    "login,/login",
    "'',/",
  })
  void pathIsNormalized(String uri, String path) {
    assertThat(NormalizedPath.of(uri)).isEqualTo(path);
  }
}
