package io.headgate.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TrustedProxiesTest {
  private static final TrustedProxies PROXIES =
      TrustedProxies.of(List.of("10.0.0.0/8", "2001:db8:1::/48"));
  private static final ClientAddress PROXY = address("10.0.0.1");

  private static ClientAddress address(String text) {
    return ClientAddress.parse(text).orElseThrow();
  }

  private static String caller(TrustedProxies proxies, ClientAddress peer, String... headers) {
    var lines = new java.util.TreeMap<String, List<String>>(String.CASE_INSENSITIVE_ORDER);
    for (var header : headers) {
      int colon = header.indexOf(':');
      lines.merge(
          header.substring(0, colon),
          List.of(header.substring(colon + 1).strip()),
          (a, b) -> java.util.stream.Stream.concat(a.stream(), b.stream()).toList());
    }
    return proxies.caller(peer, name -> lines.getOrDefault(name, List.of())).toString();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"X-Real-IP: 192.0.2.9", "X-Forwarded-For: 192.0.2.9", "Forwarded: for=192.0.2.9"})
  void headersOfUntrustedPeersAreIgnored(String header) {
    assertThat(caller(PROXIES, address("203.0.113.5"), header)).isEqualTo("203.0.113.5");
    assertThat(caller(TrustedProxies.NONE, PROXY, header)).isEqualTo("10.0.0.1");
    assertThat(caller(PROXIES, PROXY, header)).isEqualTo("192.0.2.9");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "192.0.2.9                              | 192.0.2.9",
        "1.1.1.1, 192.0.2.9                     | 192.0.2.9",
        "1.1.1.1, 192.0.2.9, 10.2.3.4           | 192.0.2.9",
        "1.1.1.1, 192.0.2.9, 10.2.3.4, 10.9.9.9 | 192.0.2.9",
        "10.7.7.7, 192.0.2.9, 10.2.3.4          | 192.0.2.9",
        "10.7.7.7, 10.2.3.4                     | 10.7.7.7",
        "192.0.2.9:4711, 10.2.3.4:80            | 192.0.2.9",
        "2001:db8:2::7, 2001:db8:1::1           | 2001:db8:2::7",
        "[2001:db8:2::7]:4711                   | 2001:db8:2::7",
        "::ffff:192.0.2.9, ::ffff:10.2.3.4      | 192.0.2.9",
        "::ffff:a02:304                         | 10.2.3.4",
        "192.0.2.9, ::10.2.3.4                  | ::a02:304",
        "192.0.2.9, 010.2.3.4                   | 10.0.0.1",
        "192.0.2.9, unknown                     | 10.0.0.1",
        "192.0.2.9, unknown, 10.2.3.4           | 10.2.3.4",
        "192.0.2.9, , 10.2.3.4                  | 10.2.3.4",
        "192.0.2.9, 10.2.3.4:99999999           | 10.0.0.1",
        "\"evil, 192.0.2.9                      | 192.0.2.9",
      })
  void forwardedForIsWalkedFromTheRight(String header, String caller) {
    assertThat(caller(PROXIES, PROXY, "X-Forwarded-For: " + header)).isEqualTo(caller);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "for=192.0.2.9                                              | 192.0.2.9",
        "For=192.0.2.9;proto=https;by=10.0.0.1                      | 192.0.2.9",
        "proto=http;for=\"[2001:db8:2::7]:4711\", for=10.1.1.1       | 2001:db8:2::7",
        "for=1.1.1.1, for=\"192.0.2.9:_port\", for=\"10.1.1.1:80\"     | 192.0.2.9",
        "for=192.0.2.9, for=_hidden                                 | 10.0.0.1",
        "for=192.0.2.9, for=unknown;by=x, for=10.1.1.1              | 10.1.1.1",
        "for=1.1.1.1;host=\"a,b;for=2.2.2.2\"                         | 1.1.1.1",
        "for=\"evil, for=192.0.2.9                                   | 192.0.2.9",
        "for=\"evil\\\\, for=\"192.0.2.9:1\"                            | 192.0.2.9",
        "for=\"19\\2.0.2.9\"                                          | 192.0.2.9",
        "by=10.0.0.1                                                | 10.0.0.1",
      })
  void forwardedIsParsedByRfc7239AndWalkedFromTheRight(String header, String caller) {
    assertThat(caller(PROXIES, PROXY, "Forwarded: " + header)).isEqualTo(caller);
  }

  @Test
  void severalLinesAreOneList() {
    assertThat(
            caller(
                PROXIES,
                PROXY,
                "X-Forwarded-For: 1.1.1.1",
                "X-Forwarded-For: 192.0.2.9",
                "X-Forwarded-For: 10.3.3.3"))
        .isEqualTo("192.0.2.9");
  }

  @Test
  void contradictingHeadersYieldThePeer() {
    assertThat(caller(PROXIES, PROXY, "X-Real-IP: 1.1.1.1", "X-Forwarded-For: 192.0.2.9"))
        .isEqualTo("10.0.0.1");
    assertThat(caller(PROXIES, PROXY, "X-Real-IP: 192.0.2.9", "Forwarded: for=1.1.1.1"))
        .isEqualTo("10.0.0.1");
    assertThat(
            caller(PROXIES, PROXY, "X-Real-IP: 192.0.2.9", "X-Forwarded-For: 1.1.1.1, 192.0.2.9"))
        .isEqualTo("192.0.2.9");
  }

  @Test
  void headerNamingATrustedProxyYieldsToOneThatGoesFurther() {
    String forwarded = "X-Forwarded-For: 192.0.2.9, 10.5.5.5";
    assertThat(caller(PROXIES, PROXY, "X-Real-IP: 10.5.5.5", forwarded)).isEqualTo("192.0.2.9");
    assertThat(caller(PROXIES, PROXY, "X-Real-IP: 10.5.5.5")).isEqualTo("10.5.5.5");
  }

  @Test
  void onlySelectedHeadersAreEvaluated() {
    var chosen = PROXIES.withHeaders(List.of("x-forwarded-for"));
    assertThat(caller(chosen, PROXY, "X-Real-IP: 1.1.1.1", "Forwarded: for=2.2.2.2"))
        .isEqualTo("10.0.0.1");
    assertThat(caller(chosen, PROXY, "X-Real-IP: 1.1.1.1", "X-Forwarded-For: 192.0.2.9"))
        .isEqualTo("192.0.2.9");
    assertThatThrownBy(() -> PROXIES.withHeaders(List.of("X-Client")))
        .hasMessage("'X-Client' is not known; allowed: X-Real-IP, X-Forwarded-For, Forwarded");
    assertThatThrownBy(() -> PROXIES.withHeaders(List.of("Forwarded", "forwarded")))
        .hasMessage("name one or more headers, each once");
  }

  @Test
  void numberOfHopsIsLimited() {
    String hops = "10.1.1.1, ".repeat(1_000) + "10.2.2.2";
    assertThat(caller(PROXIES, PROXY, "X-Forwarded-For: 192.0.2.9, " + hops)).isEqualTo("10.1.1.1");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "10.0.0.0/33", "10.0.0.0/", "10.0.0", "::/129", "localhost", "10.0.0.0/-1"})
  void invalidBlockIsRejected(String block) {
    assertThatThrownBy(() -> TrustedProxies.of(List.of(block)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "'"
                + block
                + "' is not an address or CIDR block; write 10.0.0.0/8, 192.0.2.7 or 2001:db8::/32");
  }

  @Test
  void blocksAreComparedAsBits() {
    var blocks =
        Map.of(
            "10.1.2.3/8", "10.200.0.1",
            "192.0.2.7", "::ffff:192.0.2.7",
            "::ffff:192.0.2.0/120", "192.0.2.200",
            "2001:DB8::/33", "2001:0db8:7fff:0::1",
            "0.0.0.0/0", "203.0.113.77");
    blocks.forEach((block, inside) ->
        assertThat(TrustedProxies.of(List.of(block)).isTrusted(address(inside)))
            .as(block)
            .isTrue());
    assertThat(TrustedProxies.of(List.of("0.0.0.0/0")).isTrusted(address("2001:db8::1"))).isFalse();
    assertThat(TrustedProxies.of(List.of("10.0.0.0/8")).isTrusted(address("11.0.0.1"))).isFalse();
  }
}
