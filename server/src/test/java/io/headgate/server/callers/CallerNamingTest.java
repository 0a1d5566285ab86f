package io.headgate.server.callers;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.rule.Subject;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CallerNamingTest {
  private static final CallerNaming NAMES = CallerNaming.DEFAULT;

  @Test
  void firstAttributeInTheOrderNamesTheCaller() {
    var subject = Subject.of(Map.of("path", "/a", "ip", "10.0.0.1", "tenant", "t", "client", "c"));
    assertThat(NAMES.nameOrText(subject)).isEqualTo("client=c");
    assertThat(NAMES.nameOrText(Subject.of("user:42"))).isEqualTo("user:42");
  }

  @ParameterizedTest
  @CsvSource({
    "192.0.2.7, 192.0.2.7, ip=192.0.2.7",
    "192.0.2.7, ::ffff:192.0.2.7, ip=192.0.2.7",
    "2001:db8:0:1::1, 2001:DB8:0:1:ffff::2, ip=2001:db8:0:1::/64",
    "unix:, unix:, ip=unix:",
  })
  void addressesThatAreCountedTogetherAreOneCaller(String one, String other, String name) {
    var first = Subject.of(Map.of("ip", one, "path", "/a"));
    var second = Subject.of(Map.of("ip", other, "path", "/b"));
    assertThat(NAMES.nameOrText(first)).isEqualTo(name);
    assertThat(NAMES.nameOrText(second)).isEqualTo(name);
    assertThat(NAMES.hashOf(first)).isEqualTo(NAMES.hashOf(second));
  }

  @Test
  void callersWithoutANamingAttributeAreToldApartByTheirSubjects() {
    var one = Subject.of(Map.of("session", "1"));
    var other = Subject.of(Map.of("session", "2"));
    assertThat(NAMES.nameOrText(one)).isNotEqualTo(NAMES.nameOrText(other));
    assertThat(NAMES.hashOf(one)).isNotEqualTo(NAMES.hashOf(other));
  }

  @Test
  void equalValuesOfDifferentAttributesAreDifferentCallers() {
    assertThat(NAMES.hashOf(Subject.of(Map.of("user", "42"))))
        .isNotEqualTo(NAMES.hashOf(Subject.of(Map.of("tenant", "42"))));
  }
}
