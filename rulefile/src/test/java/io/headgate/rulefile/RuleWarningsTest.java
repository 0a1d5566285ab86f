package io.headgate.rulefile;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Warnings about rules that are valid, and may admit more than their author expects. */
class RuleWarningsTest {
  private static final String LIMIT = "limit: { algorithm: token-bucket, rate: 100/1m }";

  private static List<String> warnings(String... rules) {
    return RuleFile.warnings(RuleFile.read("[" + String.join(",", rules) + "]"));
  }

  private static String rule(String id, String match, String... more) {
    return "{ id: %s, match: %s, %s%s }"
        .formatted(id, match, LIMIT, more.length == 0 ? "" : ", " + String.join(", ", more));
  }

  @Test
  void ruleThatCallersEscapeByLeavingAnAttributeOutCausesAWarning() {
    assertThat(warnings(rule("pages", "{ path: { except: /health } }")))
        .containsExactly(
            "rule 'pages': a caller without path escapes it, and no other rule limits such callers. To include them write path: { except: …, or: absent }, or add a fallback rule with match: {}");
    assertThat(warnings(rule("both", "{ ip: \"*\", user: [\"a*\", \"*\"] }")))
        .containsExactly(
            "rule 'both': a caller without ip or user escapes it, and no other rule limits such callers. To include them write ip: { is: \"*\", or: absent } and user: { is: \"*\", or: absent }, or add a fallback rule with match: {}");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{}",
        "{ path: { except: /health, or: absent } }",
        "{ path: { absent: true } }",
        "{ path: /login }",
        "{ path: [/login, \"/admin/*\"] }",
        "{ ip: 10.0.0.0/8 }"
      })
  void ruleThatNamesItsCallersOrIncludesAbsentAttributesCausesNone(String match) {
    assertThat(warnings(rule("r", match))).isEmpty();
  }

  @Test
  void ruleForEveryCallerLimitsThoseThatEscape() {
    String pages = rule("pages", "{ path: { except: /health }, ip: \"*\" }");
    assertThat(warnings(pages, rule("rest", "{}", "fallback: true"))).isEmpty();
    assertThat(warnings(pages, rule("any", "{ key: { is: \"*\", or: absent } }"))).isEmpty();
    assertThat(warnings(pages, rule("rest", "{}", "mode: shadow"))).hasSize(1);
    assertThat(warnings(pages, rule("rest", "{}", "active: { days: mon }"))).hasSize(1);
    assertThat(warnings(pages, "{ id: free, exempt: true }")).hasSize(1);
    assertThat(warnings(pages, rule("per-ip", "{ ip: \"*\" }")))
        .as("a caller with ip and without path is limited; one without ip is not")
        .containsExactly(
            "rule 'pages': a caller without ip escapes it, and no other rule limits such callers. To include them write ip: { is: \"*\", or: absent }, or add a fallback rule with match: {}",
            "rule 'per-ip': a caller without ip escapes it, and no other rule limits such callers. To include them write ip: { is: \"*\", or: absent }, or add a fallback rule with match: {}");
  }

  @Test
  void ruleThatLimitsNothingIsNotEscaped() {
    assertThat(warnings(rule("r", "{ path: \"*\" }", "mode: off"))).isEmpty();
    assertThat(warnings(rule("r", "{ path: \"*\" }", "mode: shadow"))).isEmpty();
    assertThat(warnings("{ id: r, match: { path: \"*\" }, exempt: true }")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{ id: login, %s }",
        "{ id: a, description: Protects the sign-in page., %s }",
        "{ id: a, match: { path: \"/v1/oauth/*\" }, %s }",
        "{ id: a, match: { otp: x }, %s }",
        "{ id: PASSWORD-reset, %s }"
      })
  void ruleForAuthenticationThatFailsOpenCausesAWarning(String rule) {
    String allow = LIMIT + ", on-store-failure: allow";
    assertThat(warnings(rule.formatted(allow)))
        .singleElement()
        .asString()
        .contains("seems to protect a secret")
        .contains("on-store-failure: allow)");
    assertThat(warnings(rule.formatted(LIMIT + ", on-store-failure: { allow-then-deny: 9s }")))
        .hasSize(1);
    for (var safe : List.of("local", "deny")) {
      assertThat(warnings(rule.formatted(LIMIT + ", on-store-failure: " + safe))).isEmpty();
    }
    assertThat(warnings(rule.formatted(allow + ", mode: shadow"))).isEmpty();
  }

  @Test
  void otherRulesMayFailOpen() {
    String allow = LIMIT + ", on-store-failure: allow }";
    assertThat(warnings("{ id: author, description: A token bucket per author., " + allow))
        .isEmpty();
    assertThat(warnings("{ id: llm, description: Tokens of a model., " + allow)).isEmpty();
  }

  @Test
  void ruleOfFewPermitsThatFailsOpenCausesAWarning() {
    String rule =
        "{ id: a, on-store-failure: allow, limit: { algorithm: fixed-window, rate: %s } }";
    assertThat(warnings(rule.formatted("19/1h")))
        .containsExactly(
            "rule 'a': allows few attempts, but admits every request while the store is unavailable (on-store-failure: allow). Use local, which keeps a limit in each instance, or deny");
    assertThat(warnings(rule.formatted("479/1d"))).hasSize(1);
    assertThat(warnings(rule.formatted("20/1h"))).isEmpty();
    assertThat(warnings(rule.formatted("1/1m"))).isEmpty();
  }

  @Test
  void warningsCanBeLimitedToSomeRules() {
    var rules =
        RuleFile.read(
            "[" + rule("a", "{ path: \"*\" }") + "," + rule("b", "{ user: \"*\" }") + "]");
    assertThat(RuleFile.warnings(rules, rule -> rule.id().equals("b")))
        .singleElement()
        .asString()
        .startsWith("rule 'b': a caller without user");
  }

  @Test
  void reservationSettingsWithoutAnEffectCauseAWarning() {
    assertThat(warnings(rule("r", "{}", "reservation: { default: 2000 }")))
        .containsExactly(
            "rule 'r': reservation.default has no effect, since no limit has a named cost; add cost to a limit, or remove default");
    assertThat(
            warnings(
                "{ id: r, match: {}, limit: { algorithm: rolling-window, rate: 10/1m, cost: tokens }, reservation: { ttl: 5s } }"))
        .containsExactly(
            "rule 'r': a reservation of limit 'r' (rolling-window) stays charged as reserved when it is settled; use a token bucket, a fixed or a sliding window to charge the real cost");
    assertThat(
            warnings(
                "{ id: r, match: {}, limit: { algorithm: fixed-window, rate: 10/1m, cost: tokens }, reservation: { default: 5 } }"))
        .isEmpty();
  }

  @Test
  void counterThatCallersWithoutAnAttributeShareCausesAWarning() {
    assertThat(warnings(rule("api", "{ path: /api }", "per: [customer]")))
        .containsExactly(
            "rule 'api': all callers without customer share one counter, since match does not require customer. Add customer: \"*\" to match, or { is: \"*\", or: absent } if that is meant");
    assertThat(
            warnings(
                "{ id: fair, match: { path: /api }, limit: { algorithm: token-bucket, rate: 1/1s, fair: { among: customer, weight-by: plan, weights: { pro: 2 } } } }"))
        .hasSize(2)
        .anyMatch(text -> text.contains("without customer share as one tenant"))
        .anyMatch(text -> text.contains("without plan have the weight 1"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{ id: a, match: { path: /api, user: { is: \"*\", or: absent } }, per: [user], LIMIT }",
        "{ id: a, match: { path: /api }, per: [], LIMIT }",
        "{ id: a, match: { path: /api, level1: x }, per: [path, level1], LIMIT }",
        "{ id: a, match: { path: /api }, per: [user], limit: deny }"
      })
  void counterOfAttributesOfMatchCausesNone(String rule) {
    assertThat(warnings(rule.replace("LIMIT", LIMIT))).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "path: \"^/api\"",
        "path: \"/api/v[0-9]+\"",
        "path: \"/api/.*\"",
        "path: \"/(login|signup)\"",
        "path: \"/users/\\\\d+\"",
        "path: { is: \"*\", except: \"/static$\" }"
      })
  void valueLikeARegularExpressionCausesAWarning(String match) {
    assertThat(warnings(rule("r", "{ %s }".formatted(match)), rule("rest", "{}", "fallback: true")))
        .hasSize(1)
        .first()
        .asString()
        .startsWith("rule 'r': path '")
        .contains("looks like a regular expression");
  }

  @Test
  void templateAndMethodInLowerCaseCauseAWarning() {
    assertThat(warnings(rule("r", "{ path: \"/users/{id}\", method: [GET, post] }")))
        .containsExactly(
            "rule 'r': path '/users/{id}' looks like a template, and is matched as it is written. Write * for the variable part",
            "rule 'r': method 'post' is not a method, since case matters; write POST");
    assertThat(warnings(rule("r", "{ path: \"/users/:id\" }"))).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{ path: \"/users/*\" }",
        "{ path: \"/a.b/c+d/(x)/$1\" }",
        "{ host: \"api.*\" }",
        "{ key: \"user:*\" }",
        "{ key: \"C:\\\\data\" }",
        "{ method: POST }",
        "{ verb: post }",
        "{ ip: \"2001:db8::/32\" }"
      })
  void ordinaryValueCausesNone(String match) {
    assertThat(warnings(rule("r", match))).isEmpty();
  }
}
