package io.headgate.server;

import io.headgate.server.rules.ExampleRules;
import io.headgate.server.rules.FileRuleRepository;
import io.headgate.server.rules.RuleRepository;
import io.headgate.server.rules.RuleRepositoryException;
import io.headgate.server.rules.RulesFile;
import io.headgate.server.rules.SeedFile;
import io.headgate.server.rules.database.DatabaseAddress;
import io.headgate.server.rules.database.DatabaseRuleRepository;
import io.headgate.server.rules.database.Seed;
import io.headgate.server.store.StoreView;
import io.headgate.store.Store;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;

/** The place from which a service loads its rules, and where it stores changes of them. */
public sealed interface RuleSource {
  /** Returns the rule file, if there is one. */
  Optional<RulesFile> file();

  /**
   * Checks that no other process has the rules open, if only one may.
   *
   * @throws RuleRepositoryException.Unavailable if one has
   */
  void requireFree();

  /**
   * Opens the repository, loads the rules, and starts to follow changes by others.
   *
   * @param store instances that share a Redis store notify each other of changes through it
   * @throws RuleRepositoryException.Unavailable if the database can't be opened
   */
  RuleRepository open(Store store);

  /**
   * A file, which is the only source of rules. They can't be changed through the API.
   *
   * @param rules the file, already read
   * @param pollInterval how often to check the file for changes
   */
  record OfFile(RulesFile rules, Duration pollInterval) implements RuleSource {
    @Override
    public Optional<RulesFile> file() {
      return Optional.of(rules);
    }

    @Override
    public void requireFree() {}

    @Override
    public RuleRepository open(Store store) {
      return FileRuleRepository.follow(rules, InstantSource.system(), pollInterval);
    }
  }

  /**
   * A database with all revisions of the rules.
   *
   * @param snapshot the file with the last known rules, for a start without the database
   * @param pollInterval how often to check the database and the file for changes
   * @param file the rules to store until they are changed through the API; examples if it is empty
   */
  record OfDatabase(
      DatabaseAddress address, Path snapshot, Duration pollInterval, Optional<RulesFile> file)
      implements RuleSource {
    @Override
    public void requireFree() {
      DatabaseRuleRepository.requireFree(address);
    }

    @Override
    public RuleRepository open(Store store) {
      var settings =
          new DatabaseRuleRepository.Settings(
              address,
              snapshot,
              pollInterval,
              new StoreView(store).broadcast(),
              InstantSource.system());
      var seed =
          file.map(read -> new Seed(read.rules(), SeedFile.changeInfo(read)))
              .orElseGet(() -> new Seed(ExampleRules.rules(), SeedFile.EXAMPLES));
      var repository = DatabaseRuleRepository.open(settings, seed);
      file.ifPresent(read -> repository.seedFrom(read, pollInterval));
      return repository;
    }
  }
}
