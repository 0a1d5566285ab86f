package io.headgate.rulefile;

import io.headgate.rule.Rule;
import io.headgate.rule.RuleLimit;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * Reads and writes rules as YAML or JSON. Both formats have the same structure.
 *
 * {@snippet file="io/headgate/rulefile/RuleFileExamplesTest.java" region="read"}
 *
 * <p>A text is either valid as a whole, or a {@link RuleFileException} reports all its problems.
 * Written rules read back equal, except that settings without effect are left out, such as a weight
 * in a rule that is not weighted. All methods are thread-safe.
 */
public final class RuleFile {
  private static final String UNNAMED = "";

  /**
   * Reads a file in UTF-8. Messages name the file.
   *
   * @throws RuleFileException if the file is not valid
   * @throws IOException if the file cannot be read
   */
  public static List<Rule> read(Path file) throws IOException {
    var problems = new ProblemCollector();
    return rules(FileTextReader.read(file, problems), problems, file.toString());
  }

  /**
   * Reads the text of a rule file: a map with the field {@code rules}, or the list alone.
   *
   * @throws RuleFileException if the text is not valid
   */
  public static List<Rule> read(String text) {
    return rules(Optional.of(text), new ProblemCollector(), UNNAMED);
  }

  /**
   * Reads one rule, which is an item of the list in a file.
   *
   * @throws RuleFileException if the text is not valid
   */
  public static Rule readRule(String text) {
    return readRule(text, RuleReader::read);
  }

  /**
   * Reads one rule as {@link #readRule} does, for texts that were valid when an earlier version
   * wrote them: accepts attributes that are probably misspelled.
   *
   * @throws RuleFileException if the text is not valid
   */
  public static Rule readStoredRule(String text) {
    return readRule(text, RuleReader::readStored);
  }

  private static Rule readRule(String text, Function<FieldValue, Optional<Rule>> reader) {
    var problems = new ProblemCollector();
    var rule =
        DocumentParser.parse(text, problems)
            .flatMap(node -> reader.apply(new FieldValue(node, "", problems)));
    problems.throwIfAny(UNNAMED);
    return rule.orElseThrow();
  }

  /**
   * Reads one limit, which is the value of {@code limit} in a rule. Fields that relate it to a
   * rule, such as {@code per}, are validated and dropped.
   *
   * @param path the path of the limit in messages, such as {@code limits[3].limit}
   * @throws RuleFileException if the text is not valid
   */
  public static RuleLimit readLimit(String text, String path) {
    return readLimit(text, path, SourcePosition.START.line(), SourcePosition.START.column());
  }

  /**
   * As {@link #readLimit(String, String)}, for an excerpt of a longer text. Problems have positions
   * in the longer text.
   *
   * @param line the line of the longer text in which the excerpt begins, from 1
   * @param column the column at which it begins, from 1
   * @throws RuleFileException if the text is not valid
   */
  public static RuleLimit readLimit(String text, String path, int line, int column) {
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
   * @throws IllegalArgumentException for a rule that a file cannot express, such as one that
   *     compares the attribute {@code ip} with a text that is not an address
   */
  public static String yaml(List<Rule> rules) {
    return YamlPrinter.of(rules.stream().map(RuleWriter::write).toList());
  }

  /** Writes a file as JSON with one line per rule; otherwise as {@link #yaml}. */
  public static String json(List<Rule> rules) {
    var lines = rules.stream().map(RuleFile::json).toList();
    String list = lines.isEmpty() ? "[]" : "[\n" + String.join(",\n", lines) + "\n]";
    return "{\"rules\":" + list + "}\n";
  }

  /** Writes one rule on one line, in the format that {@link #readRule} reads. */
  public static String json(Rule rule) {
    return JsonPrinter.of(RuleWriter.write(rule));
  }

  /**
   * Returns a message for each setting of valid rules that may admit more than its author expects:
   * overrides that callers can choose, rules that callers can escape by leaving an attribute out,
   * counters that all callers without an attribute share, values that look like the syntax of
   * another product, and rules for authentication that admit every request while the store is
   * unavailable.
   */
  public static List<String> warnings(List<Rule> rules) {
    return warnings(rules, rule -> true);
  }

  /**
   * As {@link #warnings(List)}, for some of the rules.
   *
   * @param rules all rules, since one may limit the callers that escape another
   * @param which the rules to report
   */
  public static List<String> warnings(List<Rule> rules, Predicate<Rule> which) {
    var escapes = new EscapeWarnings(rules);
    return rules.stream()
        .filter(which)
        .flatMap(rule ->
            Stream.of(
                    OverrideWarnings.of(rule).stream(),
                    escapes.of(rule).stream(),
                    FailOpenWarnings.of(rule).stream(),
                    ConsistencyWarnings.of(rule).stream(),
                    AdaptiveWarnings.of(rule).stream(),
                    SharedCounterWarnings.of(rule).stream(),
                    PatternWarnings.of(rule).stream(),
                    ReservationWarnings.of(rule).stream())
                .flatMap(all -> all))
        .toList();
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
