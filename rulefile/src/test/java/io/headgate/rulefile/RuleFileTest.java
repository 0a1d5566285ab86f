package io.headgate.rulefile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.AdaptiveConcurrency;
import io.headgate.limit.Concurrency;
import io.headgate.limit.FairShare;
import io.headgate.limit.FairSharing;
import io.headgate.limit.FixedWindow;
import io.headgate.limit.LeakyBucket;
import io.headgate.limit.Limit;
import io.headgate.limit.Rate;
import io.headgate.limit.RollingWindow;
import io.headgate.limit.SlidingWindow;
import io.headgate.limit.TokenBucket;
import io.headgate.limit.Window;
import io.headgate.rule.Combine;
import io.headgate.rule.LimitOverride;
import io.headgate.rule.Match;
import io.headgate.rule.Mode;
import io.headgate.rule.Pattern;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import io.headgate.rule.RuleLimit.Scope;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RuleFileTest {
  private static final String EXAMPLE =
      """
      rules:
        - id: per-user                       # unique; shown in decisions, headers and metrics
          match: { key: "user:*" }           # every attribute listed must match
          per: [key]                         # one counter per distinct value
          limit: { algorithm: token-bucket, rate: 100/1m, burst: 200 }
          overrides:
            - { match: { key: "user:42" }, limit: { algorithm: token-bucket, rate: 1000/1m } }
        - id: contract
          match: { tenant: "*" }
          combine: all                       # all|any|weighted|hierarchical|priority
          limits:
            - { name: calls, algorithm: fixed-window,   rate: 1000/1h }
            - { name: bytes, algorithm: token-bucket,   rate: 10485760/1h, cost: bytes }
            - { name: compliance, algorithm: rolling-window, rate: 100/5m, per: [tenant, user] }
        - id: default
          match: {}
          fallback: true                     # applies only when nothing else does
          limit: { algorithm: token-bucket, rate: 10/1s }
      """;

  private static final List<Rule> EXAMPLE_RULES =
      List.of(
          Rule.named("per-user")
              .match("key", "user:*")
              .per("key")
              .limit(TokenBucket.of(Rate.perMinute(100)).withBurst(200))
              .override("key", "user:42", TokenBucket.of(Rate.perMinute(1000)))
              .build(),
          Rule.named("contract")
              .match("tenant", "*")
              .limit(RuleLimit.of("calls", FixedWindow.of(Rate.perHour(1000))))
              .limit(
                  RuleLimit.of("bytes", TokenBucket.of(Rate.perHour(10485760))).withCost("bytes"))
              .limit(
                  RuleLimit.of("compliance", RollingWindow.of(Rate.of(100, Duration.ofMinutes(5))))
                      .withPer("tenant", "user"))
              .build(),
          Rule.named("default").fallback().limit(TokenBucket.of(Rate.perSecond(10))).build());

  @Test
  void readsTheExampleOfTheDocumentation() {
    assertThat(RuleFile.read(EXAMPLE)).isEqualTo(EXAMPLE_RULES);
  }

  @Test
  void writesReadableYaml() {
    assertThat(RuleFile.yaml(EXAMPLE_RULES))
        .isEqualTo(
            """
            rules:
              - id: per-user
                match: { key: "user:*" }
                per: [key]
                limit: { algorithm: token-bucket, rate: 100/1m, burst: 200 }
                overrides:
                  - { match: { key: user:42 }, limit: { algorithm: token-bucket, rate: 1k/1m } }
              - id: contract
                match: { tenant: "*" }
                limits:
                  - { name: calls, algorithm: fixed-window, rate: 1k/1h }
                  - { name: bytes, algorithm: token-bucket, rate: 10Mi/1h, cost: bytes }
                  - { name: compliance, algorithm: rolling-window, rate: 100/5m, per: [tenant, user] }
              - id: default
                limit: { algorithm: token-bucket, rate: 10/1s }
                fallback: true
            """);
  }

  @Test
  void jsonHasTheSameStructure() {
    String json =
        """
        {"rules":[
        {"id":"per-user","match":{"key":"user:*"},"per":["key"],\
        "limit":{"algorithm":"token-bucket","rate":"100/1m","burst":200},\
        "overrides":[{"match":{"key":"user:42"},"limit":{"algorithm":"token-bucket","rate":"1k/1m"}}]},
        {"id":"default","limit":{"algorithm":"token-bucket","rate":"10/1s"},"fallback":true}
        ]}
        """;
    var rules = List.of(EXAMPLE_RULES.getFirst(), EXAMPLE_RULES.getLast());
    assertThat(RuleFile.json(rules)).isEqualTo(json);
    assertThat(RuleFile.read(json)).isEqualTo(rules);
  }

  @Test
  void jsonMayUseTabsAndAnyEscapes() {
    String json =
        "{\n\t\"id\":\t\"a\\/b\",\n\t\"description\": \"\\ud83d\\ude00 \\u00fc \\t\\\"\",\n"
            + "\t\"limit\": {\"algorithm\": \"concurrency\", \"max\": 5}\r\n}";
    assertThat(RuleFile.readRule(json))
        .isEqualTo(
            Rule.named("a/b")
                .description("😀 ü \t\"")
                .limit(RuleLimit.of("a/b", Concurrency.of(5)))
                .build());
  }

  @Test
  void fileMayHaveAVersionOrBeAListOnly() {
    String list = "- { id: a, limit: { algorithm: concurrency, max: 5 } }";
    var rules = List.of(Rule.named("a").limit(Concurrency.of(5)).build());
    assertThat(RuleFile.read(list)).isEqualTo(rules);
    assertThat(RuleFile.read("version: 1\nrules:\n" + list)).isEqualTo(rules);
    assertThat(RuleFile.read("\ufeff" + list)).isEqualTo(rules);
    assertThat(RuleFile.read("%YAML 1.2\n---\n" + list + "\n...\n")).isEqualTo(rules);
    assertThat(RuleFile.read("{\"rules\": []}")).isEmpty();
  }

  @Test
  void warnsThatALimitThatIsSharedFairlyIsDecidedStrictly() {
    var rules =
        RuleFile.read(
            "[{ id: a, match: { t: { is: '*', or: absent } }, consistency: leased, limit: {"
                + " algorithm: token-bucket, rate: 1/s, fair: { among: t } } }]");
    assertThat(RuleFile.warnings(rules))
        .containsExactly(
            "rule 'a': consistency: leased has no effect on limit 'a', which is shared fairly and"
                + " therefore decided strictly; remove consistency or fair");
  }

  @Test
  void readsAnAdaptiveLimitWithItsDefaults() {
    assertThat(limit("adaptive-concurrency, max: 200"))
        .isEqualTo(new AdaptiveConcurrency(1, 200, 20, Duration.ofSeconds(30)));
    assertThat(limit("adaptive-concurrency, min: 30, max: 200"))
        .isEqualTo(new AdaptiveConcurrency(30, 200, 30, Duration.ofSeconds(30)));
    assertThat(limit("adaptive-concurrency, max: 8"))
        .isEqualTo(new AdaptiveConcurrency(1, 8, 8, Duration.ofSeconds(30)));
    assertThat(limit("adaptive-concurrency, min: 5, max: 1k, initial: 50, lease: 2m"))
        .isEqualTo(new AdaptiveConcurrency(5, 1_000, 50, Duration.ofMinutes(2)));
  }

  @Test
  void warnsOfAnAdaptiveLimitThatCannotAdapt() {
    var rules =
        RuleFile.read(
            "[{ id: a, consistency: leased, limit: { algorithm: adaptive-concurrency, min: 5, max:"
                + " 5 } }]");
    assertThat(RuleFile.warnings(rules))
        .containsExactly(
            "rule 'a': consistency: leased has no effect on limit 'a', whose slots the store"
                + " counts; remove consistency",
            "rule 'a': limit 'a' can't adapt, since min and max are both 5; use algorithm:"
                + " concurrency, or widen the bounds");
    assertThat(
            RuleFile.warnings(
                RuleFile.read(
                    "[{ id: a, limit: { algorithm: adaptive-concurrency, min: 5, max: 6 } }]")))
        .isEmpty();
  }

  @Test
  void readsTheFieldsOfEachAlgorithm() {
    assertThat(limit("token-bucket, rate: 100/1m")).isEqualTo(TokenBucket.of(Rate.perMinute(100)));
    assertThat(limit("token-bucket, rate: 10/s, burst: 1k"))
        .isEqualTo(TokenBucket.of(Rate.perSecond(10)).withBurst(1000));
    assertThat(limit("token-bucket, rate: 10/s, fair: { among: tenant }"))
        .isEqualTo(new FairShare(TokenBucket.of(Rate.perSecond(10)), FairSharing.among("tenant")));
    assertThat(
            limit(
                "token-bucket, rate: 10/s, fair: { among: [org, team], weight-by: plan, weights: {"
                    + " pro: 2 } }"))
        .isEqualTo(
            new FairShare(
                TokenBucket.of(Rate.perSecond(10)),
                FairSharing.among("org", "team")
                    .withWeights("plan", new TreeMap<>(Map.of("pro", 2)))));
    assertThat(limit("leaky-bucket, rate: 10/s")).isEqualTo(LeakyBucket.of(Rate.perSecond(10)));
    assertThat(limit("leaky-bucket, rate: 10/s, mode: reject"))
        .isEqualTo(LeakyBucket.of(Rate.perSecond(10)));
    assertThat(limit("leaky-bucket, rate: 10/s, queue: 50"))
        .isEqualTo(LeakyBucket.of(Rate.perSecond(10)).withQueue(50));
    assertThat(limit("leaky-bucket, rate: 10/s, max-wait: 2s, mode: queue"))
        .isEqualTo(LeakyBucket.of(Rate.perSecond(10)).withMaxWait(Duration.ofSeconds(2)));
    assertThat(limit("fixed-window, rate: 1000/1h, align: epoch"))
        .isEqualTo(FixedWindow.of(Rate.perHour(1000)));
    assertThat(limit("fixed-window, rate: 1M/1mo, align: calendar"))
        .isEqualTo(
            FixedWindow.of(1_000_000, new Window.Calendar(Window.Unit.MONTH, ZoneId.of("UTC"))));
    assertThat(limit("fixed-window, rate: 5/day, align: calendar, zone: Europe/Berlin"))
        .isEqualTo(
            FixedWindow.of(5, new Window.Calendar(Window.Unit.DAY, ZoneId.of("Europe/Berlin"))));
    assertThat(limit("sliding-window, rate: 100/1m"))
        .isEqualTo(SlidingWindow.of(Rate.perMinute(100)));
    assertThat(limit("sliding-window, rate: 100/1m, buckets: 60, bound: conservative"))
        .isEqualTo(
            SlidingWindow.of(Rate.perMinute(100))
                .withBuckets(60)
                .withBound(SlidingWindow.Bound.CONSERVATIVE));
    assertThat(limit("rolling-window, rate: 100/5m, min-interval: 250ms"))
        .isEqualTo(
            RollingWindow.of(Rate.of(100, Duration.ofMinutes(5)))
                .withMinInterval(Duration.ofMillis(250)));
    assertThat(limit("concurrency, max: 20"))
        .isEqualTo(Concurrency.of(20).withLease(Duration.ofSeconds(30)));
    assertThat(limit("concurrency, max: 20, lease: 5m"))
        .isEqualTo(Concurrency.of(20).withLease(Duration.ofMinutes(5)));
  }

  @Test
  void patternIsATextOrAListAndNumbersAreTexts() {
    var rule =
        rule("match: { user: 042, beta: true, ip: [10.0.0.0/8, \"::1\"], path: [/a/*, '/b\\*'] }");
    assertThat(rule.match())
        .isEqualTo(
            new Match(
                java.util.Map.of(
                    "user", Pattern.parse("user", "042"),
                    "beta", Pattern.parse("beta", "true"),
                    "ip",
                        Pattern.anyOf(
                            List.of(Pattern.parse("ip", "10.0.0.0/8"), Pattern.parse("ip", "::1"))),
                    "path",
                        Pattern.anyOf(
                            List.of(
                                Pattern.parse("path", "/a/*"), Pattern.parse("path", "/b\\*"))))));
  }

  @Test
  void perIsAnAttributeOrAList() {
    assertThat(rule("per: user").per()).contains(List.of("user"));
    assertThat(rule("per: [user, path]").per()).contains(List.of("user", "path"));
    assertThat(rule("per: []").per()).contains(List.of());
    assertThat(rule("match: {}").per()).isEmpty();
  }

  @Test
  void offIsAModeAndNotABoolean() {
    assertThat(rule("mode: off").mode()).isEqualTo(Mode.OFF);
  }

  @Test
  void singleLimitIsNamedLikeItsRuleAndSharesTheCounterWithOverrides() {
    var rule =
        RuleFile.readRule(
            """
            id: a
            limit: { name: calls, algorithm: token-bucket, rate: 10/s, cost: bytes, per: user }
            overrides:
              - { match: { user: "1" }, limit: { algorithm: token-bucket, rate: 20/s } }
              - match: { user: "2" }
                limits:
                  - { algorithm: token-bucket, rate: 20/s }
                  - { algorithm: concurrency, max: 5 }
            """);
    var bucket = TokenBucket.of(Rate.perSecond(20));
    assertThat(rule)
        .isEqualTo(
            Rule.named("a")
                .limit(
                    RuleLimit.of("calls", TokenBucket.of(Rate.perSecond(10)))
                        .withCost("bytes")
                        .withPer("user"))
                .override(
                    new LimitOverride(
                        Match.of("user", "1"), List.of(RuleLimit.of("calls", bucket))))
                .override(
                    new LimitOverride(
                        Match.of("user", "2"),
                        List.of(
                            RuleLimit.of("token-bucket", bucket),
                            RuleLimit.of("concurrency", Concurrency.of(5)))))
                .build());
  }

  @Test
  void singleLimitOfAnOverrideIsNamedLikeARuleOfSeveralLimits() {
    var rule =
        RuleFile.readRule(
            """
            id: a
            limits:
              - { algorithm: token-bucket, rate: 20/s }
              - { algorithm: concurrency, max: 5 }
            overrides:
              - { match: { user: "1" }, limit: { algorithm: token-bucket, rate: 20/s } }
            """);
    assertThat(rule.overrides().getFirst().limits().getFirst().name()).isEqualTo("a");
  }

  @Test
  void readsTheFieldsOfEachCombination() {
    var weighted =
        RuleFile.readRule(
            """
            id: a
            combine: weighted
            threshold: 60%
            limits:
              - { name: x, algorithm: concurrency, max: 1, weight: 3 }
              - { name: y, algorithm: concurrency, max: 2 }
            """);
    assertThat(weighted.combine()).isEqualTo(new Combine.Weighted(600));
    assertThat(weighted.limits())
        .containsExactly(
            RuleLimit.of("x", Concurrency.of(1)).withWeight(3),
            RuleLimit.of("y", Concurrency.of(2)));

    var priority =
        RuleFile.readRule(
            """
            id: a
            combine: priority
            limits:
              - { name: x, algorithm: concurrency, max: 1, priority: -1 }
              - { name: y, algorithm: concurrency, max: 2, priority: 10 }
            """);
    assertThat(priority.limits()).extracting(RuleLimit::priority).containsExactly(-1, 10);

    var hierarchical =
        RuleFile.readRule(
            """
            id: a
            combine: hierarchical
            limits:
              - { name: x, algorithm: concurrency, max: 1, scope: user }
              - { name: y, algorithm: concurrency, max: 2, scope: global }
            """);
    assertThat(hierarchical.limits())
        .extracting(limit -> limit.scope().orElseThrow())
        .containsExactly(Scope.USER, Scope.GLOBAL);
  }

  @Test
  void aliasRepeatsAValue() {
    var rules =
        RuleFile.read(
            """
            - { id: a, limit: &standard { algorithm: token-bucket, rate: 10/s } }
            - { id: b, limit: *standard }
            """);
    assertThat(rules.getLast())
        .isEqualTo(Rule.named("b").limit(TokenBucket.of(Rate.perSecond(10))).build());
  }

  @Test
  void fileIsReadAsUtf8(@TempDir Path directory) throws IOException {
    var file = Files.writeString(directory.resolve("rules.yaml"), EXAMPLE + "# für alle\n");
    assertThat(RuleFile.read(file)).isEqualTo(EXAMPLE_RULES);
  }

  @Test
  void problemNamesTheFile(@TempDir Path directory) throws IOException {
    var file = Files.writeString(directory.resolve("rules.yaml"), "rules: 5\n");
    assertThatThrownBy(() -> RuleFile.read(file))
        .isInstanceOf(RuleFileException.class)
        .hasMessage(file + ":1:8: rules: must be a list of rules ([] for none), got '5'");
  }

  @Test
  void fileInAnotherEncodingIsRejected(@TempDir Path directory) throws IOException {
    var file = directory.resolve("rules.yaml");
    Files.write(file, "rules: []\n# für alle".getBytes(StandardCharsets.ISO_8859_1));
    assertThatThrownBy(() -> RuleFile.read(file))
        .isInstanceOf(RuleFileException.class)
        .hasMessage(file + ":2:4: the byte 0xfc here is not UTF-8; save the file in that encoding");
    Files.write(file, new byte[] {'#', (byte) 0xc3});
    assertThatThrownBy(() -> RuleFile.read(file)).hasMessageContaining(":1:2: the byte 0xc3");
  }

  @Test
  void missingFileThrowsIoException(@TempDir Path directory) {
    assertThatThrownBy(() -> RuleFile.read(directory.resolve("rules.yaml")))
        .isInstanceOf(NoSuchFileException.class);
  }

  private static Limit limit(String fields) {
    return RuleFile.readRule("id: a\nlimit: { algorithm: " + fields + " }")
        .limits()
        .getFirst()
        .limit();
  }

  private static Rule rule(String field) {
    return RuleFile.readRule("id: a\nlimit: { algorithm: concurrency, max: 5 }\n" + field);
  }
}
