package io.headgate.rulefile;

import io.headgate.rule.Rule;
import io.headgate.rulefile.SourceNode.Fields;
import io.headgate.rulefile.SourceNode.Scalar;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads a whole file: its version and its rules. Rejects duplicate ids. */
record RulesReader(ProblemCollector problems, Map<String, FieldValue> ids) {
  private static final List<String> FIELDS = List.of("version", "rules");
  private static final String VERSION = "1";
  private static final String LIST = "a list of rules ([] for none)";

  RulesReader(ProblemCollector problems) {
    this(problems, new HashMap<>());
  }

  /** Reads the rules. Invalid ones are left out and reported. */
  List<Rule> read(SourceNode node) {
    var rules = new ArrayList<Rule>();
    for (var value : list(node).flatMap(list -> list.items(LIST)).orElse(List.of())) {
      rejectDuplicate(value);
      RuleReader.read(value).ifPresent(rules::add);
    }
    return List.copyOf(rules);
  }

  private Optional<FieldValue> list(SourceNode node) {
    if (node instanceof SourceNode.Items)
      return Optional.of(new FieldValue(node, "rules", problems));
    return new FieldValue(node, "", problems)
        .section("a map with the field rules, or a list of rules")
        .flatMap(this::list);
  }

  private Optional<FieldValue> list(MappingReader file) {
    if (file.has("id") && !file.has("rules")) {
      file.self().problem("this is one rule; make it an item of a list, under rules:");
      return Optional.empty();
    }
    file.allowOnly(FIELDS);
    file.read("version", VERSION, RulesReader::version);
    if (!file.has("rules")) file.missing("rules", "give " + LIST);
    return file.find("rules");
  }

  private static String version(String text) {
    if (text.equals(VERSION)) return text;
    throw new IllegalArgumentException(
        "%s is not known; this program reads version %s".formatted(Excerpt.of(text), VERSION));
  }

  /** Checks the id before the rule is read, so that invalid rules are checked as well. */
  private void rejectDuplicate(FieldValue rule) {
    if (!(rule.node() instanceof Fields fields)) return;
    for (var field : fields.fields()) {
      if (!field.name().text().equals("id") || !(field.value() instanceof Scalar id)) continue;
      var earlier = ids.putIfAbsent(id.text(), rule);
      if (earlier != null) {
        problems.add(
            id.at(),
            rule.path() + ".id",
            "%s is already the id of %s on line %d; give each rule its own"
                .formatted(Excerpt.of(id.text()), earlier.path(), earlier.node().at().line()));
      }
      return;
    }
  }
}
