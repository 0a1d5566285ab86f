package io.headgate.rulefile;

import io.headgate.limit.Limit;
import io.headgate.rule.Rule;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * Reads and writes rules as YAML or JSON, which have the same shape.
 *
 * <p>What is read is valid as a whole, or a {@link RuleFileException} says all that is wrong. What
 * is written reads back equal, but for what has no effect, such as a weight in a rule that weighs
 * nothing: that is left out.
 */
public final class RuleFile {
  private static final String UNNAMED = "";

  /** Reads a file in UTF-8, and names it in messages. */
  public static List<Rule> read(Path file) throws IOException {
    var problems = new ProblemCollector();
    return rules(FileTextReader.read(file, problems), problems, file.toString());
  }

  /** Reads a map with the field {@code rules}, or just the list. */
  public static List<Rule> read(String text) {
    return rules(Optional.of(text), new ProblemCollector(), UNNAMED);
  }

  /** Reads one rule: what is an item of the list in a file. */
  public static Rule readRule(String text) {
    var problems = new ProblemCollector();
    var rule =
        DocumentParser.parse(text, problems)
            .flatMap(node -> RuleReader.read(new FieldValue(node, "", problems)));
    problems.throwIfAny(UNNAMED);
    return rule.orElseThrow();
  }

  /**
   * Reads one limit: what stands at {@code limit} in a rule. What ties it to a rule, such as {@code
   * per}, is checked and left out.
   *
   * @param path what to call the limit in messages, such as {@code limits[3].limit}
   */
  public static Limit readLimit(String text, String path) {
    return readLimit(text, path, SourcePosition.START.line(), SourcePosition.START.column());
  }

  /**
   * As {@link #readLimit(String, String)}, of a text that was cut from another: what is wrong is
   * said to be where that one has it.
   *
   * @param line where the text begins in the other, from 1
   * @param column likewise
   */
  public static Limit readLimit(String text, String path, int line, int column) {
    var problems = new ProblemCollector(new SourcePosition(line, column));
    var limit =
        DocumentParser.parse(text, problems)
            .flatMap(node -> LimitsReader.readOne(new FieldValue(node, path, problems)));
    problems.throwIfAny(UNNAMED);
    return limit.orElseThrow();
  }

  /**
   * Writes a file as YAML.
   *
   * @throws IllegalArgumentException for a rule that no file can say, such as one that compares the
   *     attribute {@code ip} with a text that is no address
   */
  public static String yaml(List<Rule> rules) {
    return YamlPrinter.of(rules.stream().map(RuleWriter::write).toList());
  }

  /** As {@link #yaml}, in JSON with a line for each rule. */
  public static String json(List<Rule> rules) {
    var lines = rules.stream().map(RuleFile::json).toList();
    String list = lines.isEmpty() ? "[]" : "[\n" + String.join(",\n", lines) + "\n]";
    return "{\"rules\":" + list + "}\n";
  }

  /** One rule on one line, as {@link #readRule} reads it. */
  public static String json(Rule rule) {
    return JsonPrinter.of(RuleWriter.write(rule));
  }

  /**
   * Returns a sentence for everything in valid rules that may admit more than its author expects.
   */
  public static List<String> warnings(List<Rule> rules) {
    return rules.stream().flatMap(rule -> OverrideWarnings.of(rule).stream()).toList();
  }

  private static List<Rule> rules(Optional<String> text, ProblemCollector problems, String source) {
    var rules =
        text.flatMap(given -> DocumentParser.parse(given, problems))
            .map(node -> new RulesReader(problems).read(node));
    problems.throwIfAny(source);
    return rules.orElseThrow();
  }

  private RuleFile() {}
}
