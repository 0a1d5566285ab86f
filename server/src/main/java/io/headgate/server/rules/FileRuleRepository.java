package io.headgate.server.rules;

import io.headgate.rule.Rule;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A read-only repository backed by a file ({@code --rules-mode file}). The content of the file is
 * always in force. Its revisions are the versions of the file seen since the start. Thread-safe.
 */
public final class FileRuleRepository implements RuleRepository {
  private static final Logger LOG = LoggerFactory.getLogger(FileRuleRepository.class);

  private final RulesFile file;
  private final InMemoryRuleRepository versions;

  private FileRuleRepository(RulesFile file, InstantSource clock) {
    this.file = file;
    this.versions = new InMemoryRuleRepository(clock, file.rules(), SeedFile.changeInfo(file));
  }

  /**
   * Creates the repository and starts to poll the file for changes, every {@code interval}, until
   * it is closed.
   */
  public static FileRuleRepository follow(RulesFile file, InstantSource clock, Duration interval) {
    var repository = new FileRuleRepository(file, clock);
    file.follow(
        interval,
        read -> {
          repository.versions.change(
              ExpectedRevision.any(), SeedFile.changeInfo(file), old -> read.rules());
          LOG.info("{} has changed: {} rules in force", file.path(), read.rules().size());
        });
    return repository;
  }

  @Override
  public RuleSnapshot inForce() {
    return versions.inForce();
  }

  @Override
  public Condition condition() {
    return new Condition(file.path().toString(), Optional.of(readOnlyReason()), file.problem());
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
  public List<Revision> history(long before, int limit) {
    return versions.history(before, limit);
  }

  @Override
  public List<RuleRevision> history(String rule, long before, int limit) {
    return versions.history(rule, before, limit);
  }

  @Override
  public Map<String, RuleModified> lastChanges() {
    return versions.lastChanges();
  }

  @Override
  public RuleSnapshot change(
      ExpectedRevision expected, ChangeInfo changeInfo, UnaryOperator<List<Rule>> edit) {
    throw new RuleRepositoryException.ReadOnly(readOnlyReason());
  }

  @Override
  public RuleSnapshot restore(long number, ExpectedRevision expected, ChangeInfo changeInfo) {
    throw new RuleRepositoryException.ReadOnly(readOnlyReason());
  }

  private String readOnlyReason() {
    return "the rules are read-only: they come from the file %s (--rules-mode file); edit that file"
        .formatted(file.path());
  }

  @Override
  public void close() {
    file.close();
  }
}
