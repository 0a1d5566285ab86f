package io.headgate.rulefile;

import io.headgate.rulefile.SourceNode.Fields;
import io.headgate.rulefile.SourceNode.Items;
import io.headgate.rulefile.SourceNode.Scalar;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Rejects attributes that are probably misspelled, outside {@code match}. No subject has such an
 * attribute, so all callers would share one counter, tenant or weight.
 *
 * <p>A name is rejected if {@code match} does not have it, of the rule or of an override, and it
 * has a comma or a blank, or one typo makes it the name of an attribute of {@code match}.
 */
final class AttributeTypos {
  private final Set<String> known = new LinkedHashSet<>();
  private final ProblemCollector problems;

  private AttributeTypos(ProblemCollector problems) {
    this.problems = problems;
  }

  /** Adds a problem for each misspelled attribute of a rule. */
  static void report(FieldValue rule) {
    var typos = new AttributeTypos(rule.problems());
    typos.addKnown(rule);
    for (var override : typos.items(typos.field(rule, "overrides"))) typos.addKnown(override);
    typos.check(typos.field(rule, "per"));
    typos.checkLimits(rule);
    for (var override : typos.items(typos.field(rule, "overrides"))) typos.checkLimits(override);
    typos
        .field(rule, ShedReader.FIELD)
        .ifPresent(shed -> {
          typos.check(typos.field(shed, "callers"));
          typos.field(shed, "priority").ifPresent(own -> typos.check(typos.field(own, "by")));
        });
  }

  private void addKnown(FieldValue owner) {
    field(owner, "match")
        .ifPresent(match -> {
          if (match.node() instanceof Fields fields) {
            for (var condition : fields.fields()) known.add(condition.name().text());
          }
        });
  }

  private void checkLimits(FieldValue owner) {
    field(owner, "limit").ifPresent(this::checkLimit);
    for (var limit : items(field(owner, "limits"))) checkLimit(limit);
  }

  private void checkLimit(FieldValue limit) {
    check(field(limit, "per"));
    field(limit, FairSharingReader.FIELD)
        .ifPresent(fair -> {
          check(field(fair, "among"));
          check(field(fair, "weight-by"));
        });
  }

  private void check(Optional<FieldValue> names) {
    if (names.isEmpty()) return;
    var value = names.get();
    switch (value.node()) {
      case Scalar scalar -> checkName(value, scalar.text());
      case Items items -> {
        for (var item : items(names)) {
          if (item.node() instanceof Scalar scalar) checkName(item, scalar.text());
        }
      }
      case Fields fields -> {}
    }
  }

  private void checkName(FieldValue value, String name) {
    if (name.isEmpty() || known.contains(name)) return;
    String[] parts = name.strip().split("[,\\s]+");
    boolean separated = parts.length > 1 || !parts[0].equals(name);
    if (separated) {
      value.problem(
          "%s is one name with a comma or blank in it; write %s, or add it to match if it is an attribute"
              .formatted(Excerpt.of(name), list(parts)));
      return;
    }
    known.stream()
        .filter(other -> NameSuggester.isTypo(name, other))
        .findFirst()
        .ifPresent(other ->
            value.problem(
                "%s is not an attribute of match; did you mean %s? If it is an attribute of its own, add it to match, as { is: \"*\", or: absent }"
                    .formatted(Excerpt.of(name), Excerpt.shown(other))));
  }

  private static String list(String[] parts) {
    var names = Arrays.stream(parts).filter(part -> !part.isEmpty()).map(Excerpt::shown).toList();
    return names.size() == 1 ? names.getFirst() : "[" + String.join(", ", names) + "]";
  }

  /** Returns a field of a map; the first one, if it is given twice. */
  private Optional<FieldValue> field(FieldValue owner, String name) {
    if (!(owner.node() instanceof Fields fields)) return Optional.empty();
    return fields.fields().stream()
        .filter(field -> field.name().text().equals(name))
        .findFirst()
        .map(field -> {
          String path = owner.path().isEmpty() ? name : owner.path() + "." + name;
          return new FieldValue(field.value(), path, problems);
        });
  }

  private List<FieldValue> items(Optional<FieldValue> list) {
    return list.filter(value -> value.node() instanceof Items)
        .flatMap(value -> value.items(""))
        .orElse(List.of());
  }
}
