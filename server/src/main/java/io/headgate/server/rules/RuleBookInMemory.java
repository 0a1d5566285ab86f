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
public final class RuleBookInMemory implements RuleBook {
  private static final Logger LOG = LoggerFactory.getLogger(RuleBookInMemory.class);

  private final InstantSource clock;
  private final List<Edition> editions = new ArrayList<>();
  private final List<Consumer<Edition>> followers = new ArrayList<>();

  /** For one who needs no history: the rules of a limiter, by nobody in particular. */
  public static RuleBookInMemory of(RuleSet rules) {
    return new RuleBookInMemory(InstantSource.system(), rules, new Signature("headgate", "", true));
  }

  public RuleBookInMemory(InstantSource clock, RuleSet rules, Signature signature) {
    this.clock = clock;
    editions.add(edition(List.of(), rules, signature, OptionalLong.empty()));
  }

  @Override
  public synchronized Edition inForce() {
    return editions.getLast();
  }

  @Override
  public Condition condition() {
    return new Condition("memory", Optional.empty(), Optional.empty());
  }

  @Override
  public synchronized void follow(Consumer<Edition> use) {
    followers.add(use);
    use.accept(inForce());
  }

  @Override
  public Edition latest() {
    return inForce();
  }

  @Override
  public synchronized Edition at(long number) {
    if (number < 1 || number > editions.size()) {
      throw new RuleBookProblem.NoSuchRevision(number, editions.size());
    }
    return editions.get((int) number - 1);
  }

  @Override
  public synchronized List<Revision> history(long before, int most) {
    return editions.reversed().stream()
        .map(Edition::revision)
        .filter(revision -> revision.number() < before)
        .limit(most)
        .toList();
  }

  @Override
  public synchronized Edition change(
      OptionalLong expected, Signature signature, UnaryOperator<List<Rule>> edit) {
    requireLatest(expected);
    return replace(signature, OptionalLong.empty(), edit.apply(rules()));
  }

  @Override
  public synchronized Edition restore(long number, OptionalLong expected, Signature signature) {
    requireLatest(expected);
    return replace(signature, OptionalLong.of(number), at(number).rules().rules());
  }

  private void requireLatest(OptionalLong expected) {
    if (expected.isPresent() && expected.getAsLong() != editions.size()) {
      throw new RuleBookProblem.Stale(expected.getAsLong(), editions.size());
    }
  }

  private Edition replace(Signature signature, OptionalLong restored, List<Rule> rules) {
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

  private Edition edition(
      List<Rule> before, RuleSet after, Signature signature, OptionalLong restored) {
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
    return new Edition(revision, after);
  }

  private static Map<String, Rule> byId(List<Rule> rules) {
    var byId = new HashMap<String, Rule>();
    for (var rule : rules) byId.put(rule.id(), rule);
    return byId;
  }

  @Override
  public void close() {}
}
