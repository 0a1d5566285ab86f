package io.headgate.server.http.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.http.AmbiguousPathException;
import io.headgate.http.ClientAddress;
import io.headgate.http.PathReadings;
import io.headgate.http.PathReadings.Parameters;
import io.headgate.http.TrustedProxies;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** Headers written by a client can neither hide nor change its address and path. */
class ForwardAuthProperties {
  private static final TrustedProxies PROXIES = TrustedProxies.of(List.of("10.0.0.0/8"));

  /** Characters with a meaning to one of the parsers. */
  @Provide
  Arbitrary<String> claims() {
    return Arbitraries.strings()
        .withChars("\"\\,;= []:.%fork1239abcd_")
        .ofMinLength(0)
        .ofMaxLength(60);
  }

  @Property
  void hopAddedByTheTrustedProxyDecides(
      @ForAll("claims") String claim, @ForAll @IntRange(max = 255) int last) {
    String real = "192.0.2." + last;
    var proxy = ClientAddress.parse("10.0.0.1").orElseThrow();
    for (var added : List.of("for=" + real, "for=\"" + real + ":4711\"")) {
      var caller =
          PROXIES.caller(
              proxy, name -> name.equals("Forwarded") ? List.of(claim + ", " + added) : List.of());
      assertThat(caller).hasToString(real);
    }
    var caller =
        PROXIES.caller(
            proxy,
            name -> name.equals("X-Forwarded-For") ? List.of(claim + ", " + real) : List.of());
    assertThat(caller).hasToString(real);
  }

  /** Spellings of the path {@code /admin/login} that servers treat as the same. */
  @Provide
  Arbitrary<String> spellings() {
    var segment = Arbitraries.of("admin", "login").map(name -> name);
    var noise = Arbitraries.of("/", "//", "/./", "/x/../", "/%2e/", "/a/%2E%2e/", "/;p=1/", "%2f");
    return noise.flatMap(a ->
        noise.flatMap(b ->
            segment.flatMap(s ->
                spelled("admin")
                    .flatMap(
                        first -> spelled("login").map(second -> "/" + a + first + b + second)))));
  }

  private static Arbitrary<String> spelled(String name) {
    return Arbitraries.integers()
        .between(0, (1 << name.length()) - 1)
        .map(bits -> {
          var out = new StringBuilder();
          for (int i = 0; i < name.length(); i++) {
            if ((bits >> i & 1) == 0) out.append(name.charAt(i));
            else out.append("%%%02x".formatted((int) name.charAt(i)));
          }
          return out.toString();
        });
  }

  /** Asserts the path, unless the target has too many readings, which is a denial. */
  private static void assertPlainest(String target) {
    try {
      assertThat(PathReadings.of(target, Parameters.UNKNOWN).getFirst())
          .as(target)
          .isEqualTo("/admin/login");
    } catch (AmbiguousPathException e) {
      assertThat(target).containsAnyOf(";", "#").containsAnyOf("/.", "/%2e", "/%2E");
    }
  }

  @Property
  void plainestReadingOfAllSpellingsIsEqual(@ForAll("spellings") String spelling) {
    assertPlainest(spelling);
    assertPlainest(spelling + ";jsessionid=7?a=/b#c");
    assertPlainest("http://host:80" + spelling);
  }
}
