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

/**
 * A repository that keeps all revisions in memory, for the lifetime of the process. Thread-safe.
 */
public final class InMemoryRuleRepository implements RuleRepository {
  private static final Logger LOG = LoggerFactory.getLogger(InMemoryRuleRepository.class);

  private final InstantSource clock;
  private final List<RuleSnapshot> snapshots = new ArrayList<>();
  private final List<Consumer<RuleSnapshot>> listeners = new ArrayList<>();

  /** Creates a repository with the given rules as its only revision, for uses without a history. */
  public static InMemoryRuleRepository of(RuleSet rules) {
    return new InMemoryRuleRepository(
        InstantSource.system(), rules, new ChangeInfo("headgate", "", true));
  }

  /** Creates a repository whose first revision holds the given rules. */
  public InMemoryRuleRepository(InstantSource clock, RuleSet rules, ChangeInfo changeInfo) {
    this.clock = clock;
    snapshots.add(snapshot(List.of(), rules, changeInfo, OptionalLong.empty()));
  }

  @Override
  public synchronized RuleSnapshot inForce() {
    return snapshots.getLast();
  }

  @Override
  public Condition condition() {
    return new Condition("memory", Optional.empty(), Optional.empty());
  }

  @Override
  public synchronized void follow(Consumer<RuleSnapshot> listener) {
    listeners.add(listener);
    listener.accept(inForce());
  }

  @Override
  public RuleSnapshot latest() {
    return inForce();
  }

  @Override
  public synchronized RuleSnapshot at(long number) {
    if (number < 1 || number > snapshots.size()) {
      throw new RuleRepositoryException.NoSuchRevision(number, snapshots.size());
    }
    return snapshots.get((int) number - 1);
  }

  @Override
  public synchronized List<Revision> history(long before, int limit) {
    return snapshots.reversed().stream()
        .map(RuleSnapshot::revision)
        .filter(revision -> revision.number() < before)
        .limit(limit)
        .toList();
  }

  @Override
  public synchronized List<RuleRevision> history(String rule, long before, int limit) {
    var revisions = new ArrayList<RuleRevision>();
    int newest = (int) Math.min(before - 1, snapshots.size());
    for (int number = newest; number >= 1 && revisions.size() < limit; number--) {
      var snapshot = snapshots.get(number - 1);
      var old = number == 1 ? Optional.<Rule>empty() : rule(snapshots.get(number - 2), rule);
      RuleDiff.ofRule(old, rule(snapshot, rule))
          .ifPresent(change -> revisions.add(new RuleRevision(snapshot.revision(), change)));
    }
    return revisions;
  }

  private static Optional<Rule> rule(RuleSnapshot snapshot, String id) {
    return snapshot.rules().rules().stream().filter(rule -> rule.id().equals(id)).findFirst();
  }

  @Override
  public synchronized Map<String, RuleModified> lastChanges() {
    var changes = new HashMap<String, RuleModified>();
    Map<String, Rule> before = Map.of();
    for (var snapshot : snapshots) {
      var rules = byId(snapshot.rules().rules());
      var modified = new RuleModified(snapshot.number(), snapshot.revision().at());
      for (var rule : rules.values()) {
        if (!rule.equals(before.get(rule.id()))) changes.put(rule.id(), modified);
      }
      changes.keySet().retainAll(rules.keySet());
      before = rules;
    }
    return changes;
  }

  @Override
  public synchronized RuleSnapshot change(
      ExpectedRevision expected, ChangeInfo changeInfo, UnaryOperator<List<Rule>> edit) {
    expected.require(snapshots.size());
    return replace(changeInfo, OptionalLong.empty(), edit.apply(rules()));
  }

  @Override
  public synchronized RuleSnapshot restore(
      long number, ExpectedRevision expected, ChangeInfo changeInfo) {
    expected.require(snapshots.size());
    return replace(changeInfo, OptionalLong.of(number), at(number).rules().rules());
  }

  private RuleSnapshot replace(ChangeInfo changeInfo, OptionalLong restored, List<Rule> rules) {
    if (rules.equals(rules())) return inForce();
    var snapshot = snapshot(rules(), RuleSet.of(rules), changeInfo, restored);
    snapshots.add(snapshot);
    for (var listener : listeners) {
      try {
        listener.accept(snapshot);
      } catch (RuntimeException e) {
        LOG.error("a listener failed to apply revision {}", snapshot.number(), e);
      }
    }
    return snapshot;
  }

  private List<Rule> rules() {
    return inForce().rules().rules();
  }

  private RuleSnapshot snapshot(
      List<Rule> before, RuleSet after, ChangeInfo changeInfo, OptionalLong restored) {
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
            snapshots.size() + 1,
            clock.instant(),
            changeInfo,
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
