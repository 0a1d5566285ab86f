package io.headgate.rulefile;

import io.headgate.limit.Stateless;
import io.headgate.rule.RuleLimit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The limits of a rule as they are written, from which its overrides inherit.
 *
 * <p>A limit of an override that names no algorithm inherits every field that it does not name. One
 * that names its algorithm is complete: it inherits only a missing rate or number of slots, so that
 * the meaning of a complete limit does not depend on the rule's. Stored rules omit default values,
 * so further inheritance would change them silently.
 *
 * @param byName the limits by name; without those that are invalid
 * @param complete whether no limit is invalid
 */
record RuleLimits(Map<String, MappingReader> byName, boolean complete) {
  private static final String ALGORITHM = "algorithm";
  private static final String NAME = "name";
  private static final List<String> REQUIRED = List.of("rate", "max");

  /** Fields that replace each other, so that an override that names one inherits no other. */
  private static final Set<String> QUEUE = Set.of("queue", "max-wait", "mode");

  /**
   * Collects the limits of a rule.
   *
   * @param section the rule
   * @param read its limits that are valid, in order
   */
  static RuleLimits of(MappingReader section, List<RuleLimit> read) {
    var written = new ArrayList<MappingReader>();
    section.find("limit").ifPresent(limit -> add(limit, written));
    section
        .find("limits")
        .filter(limits -> limits.node() instanceof SourceNode.Items)
        .flatMap(limits -> limits.items(""))
        .ifPresent(items -> items.forEach(item -> add(item, written)));
    var byName = new LinkedHashMap<String, MappingReader>();
    var counted = read.stream().filter(one -> !(one.limit() instanceof Stateless)).toList();
    boolean complete = written.size() == counted.size();
    for (int i = 0; complete && i < counted.size(); i++) {
      byName.put(counted.get(i).name(), written.get(i));
    }
    return new RuleLimits(byName, complete);
  }

  private static void add(FieldValue limit, List<MappingReader> written) {
    if (limit.node() instanceof SourceNode.Fields fields) {
      written.add(new MappingReader(limit.withoutProblems(), fields));
    }
  }

  /**
   * Lets a limit of an override inherit the fields that it does not name from the rule's limit of
   * the same name.
   *
   * @param only whether it is the override's only limit, which may omit the name if the rule has
   *     only one as well
   * @return false if it can't be read, since the rule's limits are invalid and were reported
   */
  boolean inheritTo(MappingReader limit, boolean only) {
    boolean named = limit.hasOwn(ALGORITHM);
    boolean needs = !named || REQUIRED.stream().noneMatch(limit::hasOwn);
    if (needs && !complete) return false;
    var base = base(limit, only);
    if (base.isEmpty()) return true;
    var excluded = new HashSet<String>(Set.of(NAME));
    if (QUEUE.stream().anyMatch(limit::hasOwn)) excluded.addAll(QUEUE);
    if (limit.ownText("align").filter(align -> !align.equals("calendar")).isPresent()) {
      excluded.add("zone");
    }
    limit.inherit(
        base.get(), field -> named ? REQUIRED.contains(field) : !excluded.contains(field));
    return true;
  }

  private Optional<MappingReader> base(MappingReader limit, boolean only) {
    var name = limit.ownText(NAME);
    if (name.isPresent()) return Optional.ofNullable(byName.get(name.get()));
    return only && byName.size() == 1 ? byName.values().stream().findFirst() : Optional.empty();
  }
}
