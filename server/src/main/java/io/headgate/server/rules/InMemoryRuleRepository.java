package io.headgate.server.rules;

import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A book that is gone when the process is. */
public final class InMemoryRuleRepository implements RuleRepository {
  private static final Logger LOG = LoggerFactory.getLogger(InMemoryRuleRepository.class);

  private final InstantSource clock;
  private final List<RuleSnapshot> editions = new ArrayList<>();
  private final List<Consumer<RuleSnapshot>> followers = new ArrayList<>();

  /** For one who needs no history: the rules of a limiter, by nobody in particular. */
  public static InMemoryRuleRepository of(RuleSet rules) {
    return new InMemoryRuleRepository(
        InstantSource.system(), rules, new ChangeInfo("headgate", "", true));
  }

  public InMemoryRuleRepository(InstantSource clock, RuleSet rules, ChangeInfo signature) {
    this.clock = clock;
    editions.add(edition(List.of(), rules, signature, OptionalLong.empty()));
  }

  @Override
  public synchronized RuleSnapshot inForce() {
    return editions.getLast();
  }

  @Override
  public Condition condition() {
    return new Condition("memory", Optional.empty(), Optional.empty());
  }

  @Override
  public synchronized void follow(Consumer<RuleSnapshot> use) {
    followers.add(use);
    use.accept(inForce());
  }

  @Override
  public RuleSnapshot latest() {
    return inForce();
  }

  @Override
  public synchronized RuleSnapshot at(long number) {
    if (number < 1 || number > editions.size()) {
      throw new RuleRepositoryException.NoSuchRevision(number, editions.size());
    }
    return editions.get((int) number - 1);
  }

  @Override
  public synchronized List<Revision> history(long before, int most) {
    return editions.reversed().stream()
        .map(RuleSnapshot::revision)
        .filter(revision -> revision.number() < before)
        .limit(most)
        .toList();
  }

  @Override
  public synchronized RuleSnapshot change(
      OptionalLong expected, ChangeInfo signature, UnaryOperator<List<Rule>> edit) {
    requireLatest(expected);
    return replace(signature, OptionalLong.empty(), edit.apply(rules()));
  }

  @Override
  public synchronized RuleSnapshot restore(
      long number, OptionalLong expected, ChangeInfo signature) {
    requireLatest(expected);
    return replace(signature, OptionalLong.of(number), at(number).rules().rules());
  }

  private void requireLatest(OptionalLong expected) {
    if (expected.isPresent() && expected.getAsLong() != editions.size()) {
      throw new RuleRepositoryException.Stale(expected.getAsLong(), editions.size());
    }
  }

  private RuleSnapshot replace(ChangeInfo signature, OptionalLong restored, List<Rule> rules) {
    if (rules.equals(rules())) return inForce();
    var edition = edition(rules(), RuleSet.of(rules), signature, restored);
    editions.add(edition);
    for (var follower : followers) {
      try {
        follower.accept(edition);
      } catch (RuntimeException e) {
        LOG.error("revision {} could not be put in force everywhere", edition.number(), e);
      }
    }
    return edition;
  }

  private List<Rule> rules() {
    return inForce().rules().rules();
  }

  private RuleSnapshot edition(
      List<Rule> before, RuleSet after, ChangeInfo signature, OptionalLong restored) {
    var was = byId(before);
    var is = byId(after.rules());
    int added = 0;
    int changed = 0;
    for (var rule : after.rules()) {
      var old = was.get(rule.id());
      if (old == null) added++;
      else if (!old.equals(rule)) changed++;
    }
    int removed = (int) was.keySet().stream().filter(id -> !is.containsKey(id)).count();
    var revision =
        new Revision(
            editions.size() + 1,
            clock.instant(),
            signature,
            restored,
            added,
            changed,
            removed,
            after.rules().size());
    return new RuleSnapshot(revision, after);
  }

  private static Map<String, Rule> byId(List<Rule> rules) {
    var byId = new HashMap<String, Rule>();
    for (var rule : rules) byId.put(rule.id(), rule);
    return byId;
  }

  @Override
  public void close() {}
}
