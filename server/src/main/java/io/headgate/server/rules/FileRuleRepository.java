package io.headgate.server.rules;

import io.headgate.rule.Rule;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file is the truth: what it says is in force, and nobody changes the rules here. Revisions are
 * the versions of the file that were seen since the start.
 */
public final class FileRuleRepository implements RuleRepository {
  private static final Logger LOG = LoggerFactory.getLogger(FileRuleRepository.class);

  private final RulesFile file;
  private final InMemoryRuleRepository versions;

  private FileRuleRepository(RulesFile file, InstantSource clock) {
    this.file = file;
    this.versions = new InMemoryRuleRepository(clock, file.rules(), SeedFile.signature(file));
  }

  public static FileRuleRepository follow(RulesFile file, InstantSource clock, Duration interval) {
    var book = new FileRuleRepository(file, clock);
    file.follow(
        interval,
        read -> {
          book.versions.change(OptionalLong.empty(), SeedFile.signature(file), old -> read.rules());
          LOG.info("{} has changed: {} rules in force", file.path(), read.rules().size());
        });
    return book;
  }

  @Override
  public RuleSnapshot inForce() {
    return versions.inForce();
  }

  @Override
  public Condition condition() {
    return new Condition(file.path().toString(), Optional.of(why()), file.problem());
  }

  @Override
  public void follow(Consumer<RuleSnapshot> use) {
    versions.follow(use);
  }

  @Override
  public RuleSnapshot latest() {
    return versions.latest();
  }

  @Override
  public RuleSnapshot at(long number) {
    return versions.at(number);
  }

  @Override
  public List<Revision> history(long before, int most) {
    return versions.history(before, most);
  }

  @Override
  public RuleSnapshot change(
      OptionalLong expected, ChangeInfo signature, UnaryOperator<List<Rule>> edit) {
    throw new RuleRepositoryException.ReadOnly(why());
  }

  @Override
  public RuleSnapshot restore(long number, OptionalLong expected, ChangeInfo signature) {
    throw new RuleRepositoryException.ReadOnly(why());
  }

  private String why() {
    return "the rules are those of the file %s (--rules-mode file); change them there"
        .formatted(file.path());
  }

  @Override
  public void close() {
    file.close();
  }
}
