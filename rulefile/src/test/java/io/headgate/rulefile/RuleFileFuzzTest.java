package io.headgate.rulefile;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.rule.Rule;
import io.headgate.testkit.MutationFuzzer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Mutated rule files are read or refused with a place, and what is read can be written. */
class RuleFileFuzzTest {
  private static final List<String> SEEDS =
      List.of(
          """
          rules:
            - id: per-user
              match: { key: "user:*", ip: [10.0.0.0/8, "2001:db8::/32"], path: { except: /x } }
              per: [key]
              limit: { algorithm: token-bucket, rate: 100/1m, burst: 1_000 }
              overrides:
                - { match: { key: "user:42" }, limit: { algorithm: fixed-window, rate: 5/1mo, align: calendar, zone: Europe/Berlin } }
            - id: &a contract
              combine: weighted
              limits:
                - { name: calls, algorithm: rolling-window, rate: 1k/1h, min-interval: 5ms }
                - { name: bytes, algorithm: sliding-window, rate: 10MiB/1h, cost: bytes, weight: 2 }
          """,
          "{\"rules\":[{\"id\":\"a\",\"active\":{\"days\":[\"mon\"],\"hours\":\"08:00-17:30\",\"zone\":\"UTC\"},\"limit\":{\"algorithm\":\"leaky-bucket\",\"rate\":\"1/1s\",\"queue\":5}}]}",
          "- { id: j, limit: { algorithm: concurrency, max: 2, lease: 30s }, on-store-failure: { allow-then-deny: 30s } }");

  @Test
  void everyTextIsReadOrRefusedAndWhatIsReadReadsBackEqual() {
    long inputs =
        MutationFuzzer.run(
            SEEDS,
            input -> {
              List<Rule> rules;
              try {
                rules = RuleFile.read(new String(input, StandardCharsets.UTF_8));
              } catch (RuleFileException e) {
                assertThat(e.problems()).isNotEmpty();
                return;
              }
              assertThat(RuleFile.read(RuleFile.json(rules))).hasSameSizeAs(rules);
              var written = RuleFile.read(RuleFile.yaml(rules));
              assertThat(RuleFile.read(RuleFile.yaml(written))).isEqualTo(written);
            });
    assertThat(inputs).isGreaterThan(SEEDS.size());
  }
}
