package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.rulefile.RuleFile;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Tests block, unblock and blocks against a running service. */
class BlockCommandTest extends RunningRules {
  private static final String RULES =
      """
      rules:
        - id: internal
          match: { ip: 10.0.0.0/8 }
          exempt: true
        - id: per-user
          match: { key: "user:*" }
          limit: { algorithm: fixed-window, rate: 3/1h }
      """;

  private static final Pattern BLOCKED =
      Pattern.compile(
          "Blocked key=user:7 until (\\S+Z) \\(1h\\) by rule (block-[0-9a-f]{8}), revision 2\\.\n"
              + "In effect now on the instance that answered only, since it stores its own rules;"
              + " instances with one --database postgresql://… share them\\.\n");

  BlockCommandTest() {
    super(RULES, 1_789_300_800_000_000L);
  }

  @Test
  void blockedCallerIsDeniedUntilItIsUnblocked() {
    run("block", "user:7", "--for", "1h", "--reason", "abuse", "--author", "ada");
    var blocked = BLOCKED.matcher(out);
    assertThat(blocked.matches()).as(out + err).isTrue();
    assertThat(code).isZero();
    var change = repository.inForce().revision().changeInfo();
    assertThat(change.author()).isEqualTo("ada");
    assertThat(change.message()).isEqualTo("block key=user:7: abuse");
    run("check", "user:7");
    assertThat(code).isEqualTo(1);
    run("check", "user:8");
    assertThat(code).isZero();
    run("blocks");
    assertThat(out)
        .isEqualTo(
            """
            ID              CALLER      UNTIL                 REASON
            %s  key=user:7  %s  abuse
            """
                .formatted(blocked.group(2), blocked.group(1)));
    run("unblock", "user:7", "--reason", "a mistake");
    assertThat(out)
        .isEqualTo(
            "Unblocked key=user:7: rule %s is deleted, revision 3.\n".formatted(blocked.group(2)));
    assertThat(repository.inForce().revision().changeInfo().message())
        .isEqualTo("unblock key=user:7: a mistake");
    run("check", "user:7");
    assertThat(code).isZero();
    run("blocks");
    assertThat(out).isEqualTo("No caller is blocked.\n");
    run("unblock", "user:7");
    assertThat(err)
        .isEqualTo("headgate: key=user:7 is not blocked; 'headgate blocks' lists all blocks\n");
    assertThat(code).isEqualTo(1);
  }

  @Test
  void blockWithoutEndLastsUntilItIsUnblocked() {
    run("block", "user:7", "--reason", "abuse", "--status", "451");
    assertThat(out).startsWith("Blocked key=user:7 until it is unblocked by rule block-");
    var rule = limiter.rules().rules().getLast();
    assertThat(RuleFile.yaml(List.of(rule))).contains("status: 451").doesNotContain("until");
    run("blocks", "--json");
    assertThat(out)
        .contains("\"match\":{\"key\":\"user:7\"},\"expired\":false,\"reason\":\"abuse\"");
    run("unblock", rule.id());
    assertThat(code).isZero();
  }

  @Test
  void secondBlockOfACallerReplacesTheFirst() {
    run("block", "user:7", "--reason", "abuse", "--for", "1h");
    run("block", "user:7", "--reason", "more abuse", "--for", "7d");
    run("blocks");
    assertThat(out.lines()).hasSize(2).last().asString().contains("more abuse");
  }

  @Test
  void patternsInKeysAreTakenLiterally() {
    run("block", "user:*", "--reason", "abuse");
    run("check", "user:7");
    assertThat(code).isZero();
    run("check", "user:*");
    assertThat(code).isEqualTo(1);
    run("unblock", "user:*");
    assertThat(code).isZero();
  }

  @Test
  void allAttributesMustMatchAndAddressesMayBeBlocks() {
    run("block", "user:7", "--attr", "ip=192.0.2.0/24", "--reason", "abuse");
    run("check", "user:7");
    assertThat(code).isZero();
    run("check", "user:7", "--attr", "ip=192.0.2.9");
    assertThat(code).isEqualTo(1);
    run("unblock", "--attr", "ip=192.0.2.0/24");
    assertThat(code).isEqualTo(1);
    run("unblock", "user:7", "--attr", "ip=192.0.2.0/24");
    assertThat(code).isZero();
  }

  @Test
  void exemptCallerCausesAWarningAndExitCodeOne() {
    run("block", "user:7", "--attr", "ip=10.1.1.1", "--reason", "abuse");
    assertThat(err)
        .isEqualTo(
            "headgate: the block has no effect: the caller is exempt from all limits by internal;"
                + " delete or change this rule first\n");
    assertThat(code).isEqualTo(1);
    run("check", "user:7", "--attr", "ip=10.1.1.1");
    assertThat(code).isZero();
    run("block", "user:8", "--reason", "abuse");
    assertThat(err).isEmpty();
    assertThat(code).isZero();
  }

  @Test
  void expiredBlockIsMarked() {
    write(
        RULES
            + """
              - id: block-00000001
                description: old
                match: { key: user:9 }
                limit: deny
                active: { until: 2026-01-01T12:00 }
            """);
    run("rules", "apply", "rules.yaml");
    assertThat(code).as(out + err).isZero();
    run("blocks");
    assertThat(out).contains("block-00000001  key=user:9  2026-01-01T12:00:00Z (expired)  old\n");
    run("unblock", "block-00000001");
    assertThat(code).isZero();
  }
}
