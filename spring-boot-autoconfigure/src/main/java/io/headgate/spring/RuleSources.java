package io.headgate.spring;

import io.headgate.rule.Rule;
import io.headgate.rule.RuleSet;
import io.headgate.rulefile.RuleFile;
import io.headgate.rulefile.RuleFileException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;

/**
 * The rules of an application: those of the rule file, of the properties, and of beans, in this
 * order. Thread-safe.
 */
final class RuleSources {
  private final Resource resource;
  private final boolean required;
  private final List<Rule> others;

  private RuleSources(Resource resource, boolean required, List<Rule> others) {
    this.resource = resource;
    this.required = required;
    this.others = others;
  }

  /**
   * Creates the sources.
   *
   * @param beans the rules of beans
   * @throws InvalidRulesException if the rules of the properties are not valid
   */
  static RuleSources of(HeadgateProperties properties, ResourceLoader loader, List<Rule> beans) {
    var given = Optional.ofNullable(properties.rulesFile()).filter(text -> !text.isBlank());
    var others = new ArrayList<>(PropertyRules.read(properties.rules()));
    others.addAll(beans);
    return new RuleSources(
        loader.getResource(given.orElse(HeadgateProperties.DEFAULT_RULES_FILE)),
        given.isPresent(),
        List.copyOf(others));
  }

  /** Returns the rule file in the file system; empty if there is none or it is inside a jar. */
  Optional<Path> file() {
    if (!resource.exists() || !resource.isFile()) return Optional.empty();
    try {
      return Optional.of(resource.getFile().toPath());
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /**
   * Reads all rules.
   *
   * @throws InvalidRulesException if they are not valid, or if a rule file was named that can't be
   *     read
   */
  RuleSet read() {
    var rules = new ArrayList<>(readFile());
    rules.addAll(others);
    try {
      return RuleSet.of(rules);
    } catch (IllegalArgumentException e) {
      throw new InvalidRulesException(
          "the rule file, the properties headgate.rules and beans together",
          String.valueOf(e.getMessage()),
          "Rename or remove one of the rules.",
          e);
    }
  }

  private List<Rule> readFile() {
    if (!required && !resource.exists()) return List.of();
    try {
      var file = file();
      if (file.isPresent()) return RuleFile.read(file.get());
      return RuleFile.read(resource.getContentAsString(StandardCharsets.UTF_8));
    } catch (RuleFileException e) {
      throw new InvalidRulesException(
          resource.getDescription(),
          String.valueOf(e.getMessage()),
          "Correct the file and start again.",
          e);
    } catch (IOException e) {
      throw new InvalidRulesException(
          resource.getDescription(),
          "the file can't be read (%s)".formatted(e.getMessage()),
          "Create the file, or change or remove the property headgate.rules-file.",
          e);
    }
  }
}
