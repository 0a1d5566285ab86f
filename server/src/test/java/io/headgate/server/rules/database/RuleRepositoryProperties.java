package io.headgate.server.rules.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FixedWindow;
import io.headgate.limit.Rate;
import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.server.rules.ChangeInfo;
import io.headgate.server.rules.ExpectedRevision;
import io.headgate.server.rules.InMemoryRuleRepository;
import io.headgate.server.rules.RuleRepository;
import io.headgate.server.rules.RuleRepositoryException;
import io.headgate.server.rules.RuleSnapshot;
import io.headgate.testkit.ScratchDirectory;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Tests that a repository in a database behaves like the one in memory, for random changes. */
class RuleRepositoryProperties {
  private static final int STEPS = 30;
  private static final InstantSource CLOCK = InstantSource.fixed(Instant.EPOCH);
  private static final ChangeInfo AUTHOR = new ChangeInfo("author", "for some reason");

  @Property(tries = 10)
  void databaseMatchesTheInMemoryRepository(@ForAll long seed) {
    var random = new Random(seed);
    var first = RuleSet.of(randomEdit(random, List.of()));
    try (var folder = ScratchDirectory.create("headgate-history")) {
      var expected = new InMemoryRuleRepository(CLOCK, first, AUTHOR);
      var repositories = new ArrayList<RuleRepository>();
      repositories.add(open(folder, 0, first));
      repositories.add(open(folder, 1, first));
      try {
        for (int i = 0; i < STEPS; i++) {
          var step = step(random, expected);
          int which = random.nextInt(2);
          assertThat(resultOf(repositories.get(which), step)).isEqualTo(resultOf(expected, step));
          if (random.nextInt(8) == 0) {
            repositories.get(which).close();
            repositories.set(which, open(folder, which, first));
          }
        }
        for (var repository : repositories) assertSame(repository, expected);
      } finally {
        repositories.forEach(RuleRepository::close);
      }
    }
  }

  private static RuleRepository open(ScratchDirectory folder, int which, RuleSet first) {
    var address = DatabaseAddress.parse("h2:rules", folder.path());
    var settings =
        new DatabaseRuleRepository.Settings(
            address,
            folder.resolve("copy%d.json".formatted(which)),
            Duration.ofMillis(5),
            Optional.empty(),
            CLOCK);
    return DatabaseRuleRepository.open(settings, new Seed(first, AUTHOR));
  }

  private static void assertSame(RuleRepository repository, RuleRepository expected) {
    var history = expected.history(Long.MAX_VALUE, 1_000);
    assertThat(repository.history(Long.MAX_VALUE, 1_000)).isEqualTo(history);
    assertThat(text(repository.latest())).isEqualTo(text(expected.latest()));
    for (long n = 1; n <= history.size(); n++) {
      assertThat(text(repository.at(n))).isEqualTo(text(expected.at(n)));
    }
  }

  private static String resultOf(
      RuleRepository repository, Function<RuleRepository, RuleSnapshot> step) {
    try {
      return text(step.apply(repository));
    } catch (RuleRepositoryException | IllegalArgumentException e) {
      return e.toString();
    }
  }

  private static String text(RuleSnapshot snapshot) {
    return snapshot.revision() + " " + snapshot.rules().rules();
  }

  private static Function<RuleRepository, RuleSnapshot> step(
      Random random, RuleRepository repository) {
    long latest = repository.inForce().number();
    var expected =
        random.nextBoolean()
            ? ExpectedRevision.any()
            : ExpectedRevision.of(latest - (random.nextInt(4) == 0 ? 1 : 0));
    if (random.nextInt(5) == 0) {
      long number = 1 + random.nextLong(latest + 1);
      return any -> any.restore(number, expected, AUTHOR);
    }
    var rules = randomEdit(random, repository.inForce().rules().rules());
    return any -> any.change(expected, AUTHOR, old -> rules);
  }

  /**
   * Applies a few random edits: rules are added, removed, changed and moved, and sometimes
   * duplicated.
   */
  private static List<Rule> randomEdit(Random random, List<Rule> old) {
    var rules = new ArrayList<>(old);
    for (int i = random.nextInt(4); i >= 0; i--) {
      int at = random.nextInt(rules.size() + 1);
      switch (random.nextInt(5)) {
        case 0, 1 -> {
          var rule = rule(random);
          if (random.nextInt(20) > 0) rules.removeIf(r -> r.id().equals(rule.id()));
          rules.add(Math.min(at, rules.size()), rule);
        }
        case 2 -> {
          if (at < rules.size()) rules.remove(at);
        }
        case 3 -> {
          if (at < rules.size()) rules.set(at, rule(rules.get(at).id(), random));
        }
        default -> Collections.rotate(rules, random.nextInt(3));
      }
    }
    return old.isEmpty() ? RuleSet.of(distinct(rules)).rules() : rules;
  }

  private static List<Rule> distinct(List<Rule> rules) {
    var seen = new HashSet<String>();
    return rules.stream().filter(rule -> seen.add(rule.id())).toList();
  }

  private static Rule rule(Random random) {
    return rule("r" + random.nextInt(12), random);
  }

  private static Rule rule(String id, Random random) {
    return Rule.named(id)
        .match("key", id)
        .limit(FixedWindow.of(Rate.of(1 + random.nextInt(3), Duration.ofHours(1))))
        .build();
  }
}
