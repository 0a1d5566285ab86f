package io.headgate.rulefile;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Imports each feature of envoyproxy/ratelimit's files and compares the rules and notes. */
class EnvoyFileTest {
  @TestFactory
  List<DynamicTest> everyFeatureIsImported() throws IOException {
    var tests = new ArrayList<DynamicTest>();
    try (var in = EnvoyFileTest.class.getResourceAsStream("envoy.txt")) {
      String all = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      for (var part : all.substring(3).split("\n## ", -1)) {
        String title = part.substring(0, part.indexOf('\n'));
        var pieces = part.substring(title.length() + 1).split("=>\n?", -1);
        tests.add(DynamicTest.dynamicTest(title, () -> compare(pieces)));
      }
    }
    assertThat(tests).hasSizeGreaterThan(10);
    return tests;
  }

  private static void compare(String[] pieces) {
    var imported = EnvoyFile.read(pieces[0]);
    assertThat(RuleFile.yaml(imported.rules())).isEqualTo(pieces[1]);
    assertThat(imported.notes().stream().map(note -> note + "\n").collect(joining()).strip())
        .isEqualTo(pieces[2].strip());
    assertThat(RuleFile.read(RuleFile.yaml(imported.rules()))).isEqualTo(imported.rules());
  }

  @ParameterizedTest
  @CsvSource(
      delimiterString = " => ",
      value = {
        "{descriptors: []} => domain: is missing",
        "{domain: a, descriptor: []} => descriptor: unknown field; did you mean descriptors?",
        "{domain: a, descriptors: [{value: b}]} => descriptors[0].key: is missing",
        "{domain: a, descriptors: [{key: b, rate_limit: {unit: fortnight}}]} => 'fortnight'",
        "{domain: a, descriptors: [{key: b, rate_limit: {requests_per_unit: 1}}]} => unit: is missing",
        "{domain: a, descriptors: [{key: b, rate_limit: {unit: day, requests_per_unit: -1}}]} => '-1'",
        "{domain: a, descriptors: [{key: b}, {key: b}]} => the same key and value are on line 1",
        "{domain: a, descriptors: [{key: b, share_threshold: true}]} => needs a value with a *",
        "{domain: a, descriptors: [{key: b, rate_limit: {unlimited: true, unit: day}}]} => unit: contradicts unlimited: true; remove one of the two",
        "{domain: a, descriptors: [{key: b, shadow_mode: 1}]} => must be true or false, got '1'",
        "[] => must be a map with the fields domain and descriptors, got a list"
      })
  void invalidConfigurationIsRejected(String text, String message) {
    assertThatThrownBy(() -> EnvoyFile.read(text))
        .isInstanceOf(RuleFileException.class)
        .hasMessageContaining(message);
  }

  @Test
  void onlyNotesOfLoosenedLimitsLoosen() {
    var imported =
        EnvoyFile.read(
            """
            domain: a
            descriptors:
              - { key: k, detailed_metric: true, rate_limit: { unit: day, requests_per_unit: 1 } }
              - { key: v, rate_limit: { unit: day, requests_per_unit: 1, replaces: [{ name: k }] } }
            """);
    assertThat(imported.notes()).hasSize(2);
    assertThat(imported.isLoosened()).isFalse();
    assertThat(
            EnvoyFile.read(
                    "{domain: a, descriptors: [{key: %s, rate_limit: {unit: day}}]}"
                        .formatted("k".repeat(1000)))
                .isLoosened())
        .isTrue();
  }

  @Test
  void idsAreUniqueAndNotTooLong() {
    String longValue = "v".repeat(300);
    var imported =
        EnvoyFile.read(
            """
            domain: a
            descriptors:
              - { key: k, value: %s1, rate_limit: { unit: day, requests_per_unit: 1 } }
              - { key: k, value: %s2, rate_limit: { unit: day, requests_per_unit: 1 } }
            """
                .formatted(longValue, longValue));
    assertThat(imported.rules().stream().map(rule -> rule.id()).distinct()).hasSize(2);
  }
}
