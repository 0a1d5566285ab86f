package io.headgate.server.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.headgate.RateLimiter;
import io.headgate.rule.Request;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rule.Subject;
import io.headgate.rulefile.RuleFileException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RulesFileTest {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(10);

  @TempDir Path folder;

  private static String rules(String... ids) {
    var text = new StringBuilder("rules:\n");
    for (var id : ids) {
      text.append("  - { id: ")
          .append(id)
          .append(", match: { key: \"*\" }, limit: { algorithm: fixed-window, rate: 9/1h } }\n");
    }
    return text.toString();
  }

  private Path write(String text) throws IOException {
    return Files.writeString(folder.resolve("rules.yaml"), text);
  }

  private static List<String> ids(RuleSet rules) {
    return rules.rules().stream().map(Rule::id).toList();
  }

  @Test
  void changedFileIsAppliedAtTheNextPoll() throws IOException {
    try (var file = RulesFile.open(write(rules("a")));
        var limiter = RateLimiter.inMemory(file.rules())) {
      file.follow(POLL_INTERVAL, limiter::replaceRules);
      write(rules("a", "b"));
      await().until(() -> ids(limiter.rules()).equals(List.of("a", "b")));
      write(rules("c"));
      await().until(() -> ids(limiter.rules()).equals(List.of("c")));
    }
  }

  @Test
  void replacedFileWithTheSameTimestampIsDetected() throws IOException {
    var path = write(rules("a"));
    var time = Files.getLastModifiedTime(path);
    try (var file = RulesFile.open(path);
        var limiter = RateLimiter.inMemory(file.rules())) {
      file.follow(POLL_INTERVAL, limiter::replaceRules);
      var next = Files.writeString(folder.resolve("next.yaml"), rules("b"));
      Files.setLastModifiedTime(next, time);
      Files.move(next, path, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
      await().until(() -> ids(limiter.rules()).equals(List.of("b")));
    }
  }

  @Test
  void lastValidRulesStayWhileTheFileIsInvalidOrMissing() throws IOException {
    try (var file = RulesFile.open(write(rules("a")));
        var limiter = RateLimiter.inMemory(file.rules())) {
      file.follow(POLL_INTERVAL, limiter::replaceRules);
      limiter.check(Request.of(Subject.of("k"), 5));
      write("rules: [ { id: b, limit: { algorithm: fixed-windw } } ]");
      write("rules: [ { id: b, ");
      Files.delete(folder.resolve("rules.yaml"));
      write(rules("a", "a"));
      assertThat(ids(limiter.rules())).isEqualTo(List.of("a"));
      write(rules("a", "b"));
      await().until(() -> ids(limiter.rules()).equals(List.of("a", "b")));
      // Counters keep their state.
      var left = limiter.peek(Request.of(Subject.of("k"), 0)).limits().getFirst().remaining();
      assertThat(left).isEqualTo(4);
    }
  }

  @Test
  void problemEndsWhenTheFileIsRestored() throws IOException {
    var path = write(rules("a"));
    try (var file = RulesFile.open(path)) {
      file.follow(POLL_INTERVAL, rules -> {});
      var elsewhere = Files.move(path, folder.resolve("elsewhere.yaml"));
      await().until(() -> file.problem().filter(p -> p.contains("can't be read")).isPresent());
      Files.move(elsewhere, path);
      await().until(() -> file.problem().isEmpty());
    }
  }

  @Test
  void unreadableFileFailsTheStart() {
    assertThatThrownBy(() -> RulesFile.open(folder.resolve("none.yaml")))
        .isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> RulesFile.open(write("rules: 7")))
        .isInstanceOf(RuleFileException.class);
  }

  @ParameterizedTest
  @CsvSource({
    "key=user:1,per-user",
    "key=user:vip-1,per-user",
    "ip=192.0.2.1,per-ip",
    "ip=192.0.2.1 path=/login,per-ip login",
    "job=etl,jobs",
    "report=pdf,reports",
    "key=anybody,everything-else"
  })
  void exampleRulesApplyAsDescribed(String subject, String expected) {
    try (var limiter = RateLimiter.inMemory(ExampleRules.rules())) {
      var attributes =
          List.of(subject.split(" ", -1)).stream()
              .map(pair -> pair.split("=", 2))
              .collect(java.util.stream.Collectors.toMap(pair -> pair[0], pair -> pair[1]));
      var applied =
          limiter.peek(Subject.of(Map.copyOf(attributes))).limits().stream()
              .map(report -> report.rule())
              .toList();
      assertThat(applied).containsExactly(expected.split(" ", -1));
    }
  }
}
