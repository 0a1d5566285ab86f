package io.headgate.server.cli.options;

import io.headgate.redis.Broadcast;
import io.headgate.redis.RedisStore;
import io.headgate.rulefile.RuleFileException;
import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.DurationText;
import io.headgate.server.rules.ExampleRules;
import io.headgate.server.rules.FileRuleRepository;
import io.headgate.server.rules.RuleRepository;
import io.headgate.server.rules.RuleRepositoryException;
import io.headgate.server.rules.RulesFile;
import io.headgate.server.rules.SeedFile;
import io.headgate.server.rules.database.DatabaseAddress;
import io.headgate.server.rules.database.DatabaseRuleRepository;
import io.headgate.server.rules.database.Seed;
import io.headgate.store.Store;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Option;
import picocli.CommandLine.TypeConversionException;

/** Options of the rules: their file, database and data directory. */
public final class RuleOptions {
  private static final String SNAPSHOT_FILE = "last-good-rules.json";

  /** Whether a rule file only seeds the database or replaces it. */
  enum RulesMode {
    SEED,
    FILE
  }

  static final class Mode implements ITypeConverter<RulesMode> {
    @Override
    public RulesMode convert(String value) {
      return switch (value) {
        case "seed" -> RulesMode.SEED;
        case "file" -> RulesMode.FILE;
        default ->
            throw new TypeConversionException(
                "'%s' is not valid; use seed or file".formatted(value));
      };
    }
  }

  @Option(
      names = "--rules",
      paramLabel = "FILE",
      description =
          "The rule file, in YAML or JSON; reloaded when it changes. Default: a few examples"
              + " (see headgate rules example)")
  private Optional<Path> rules = Optional.empty();

  @Option(
      names = "--rules-mode",
      paramLabel = "MODE",
      defaultValue = "seed",
      converter = Mode.class,
      description =
          "seed: --rules is loaded into the database until the rules are changed through the"
              + " API. file: --rules is the only source of rules, and the API cannot change them."
              + " Default: ${DEFAULT-VALUE}")
  private RulesMode mode = RulesMode.SEED;

  @Option(
      names = "--database",
      paramLabel = "ADDRESS",
      description =
          "Where rules and their history are stored: h2:PATH, or, for several instances,"
              + " postgresql://user:password@host:port/database. Default: h2:DIR/headgate, in the"
              + " directory of --data")
  private Optional<String> database = Optional.empty();

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "./headgate-data",
      description =
          "The directory for the data of this instance: its H2 database, if used, and a copy"
              + " of the last valid rules. Default: ${DEFAULT-VALUE}")
  private Path data = Path.of("headgate-data");

  @Option(
      names = "--rules-poll",
      paramLabel = "TIME",
      defaultValue = "1s",
      converter = DurationText.class,
      description =
          "How often to check the database and the rule file for changes. Default:"
              + " ${DEFAULT-VALUE}")
  private Duration poll = Duration.ofSeconds(1);

  /**
   * Reads and validates the rule file; empty if there is none.
   *
   * @param directory what relative paths are resolved against
   * @throws CommandFailure if the file can't be read or is not valid
   */
  public Optional<RulesFile> readFile(Path directory) {
    if (poll.compareTo(Duration.ofMillis(10)) < 0) {
      throw new CommandFailure(
          "--rules-poll must be at least 10ms, got %s"
              .formatted(DurationText.text(poll.toMillis())));
    }
    if (rules.isEmpty()) {
      if (mode == RulesMode.SEED) return Optional.empty();
      throw new CommandFailure("--rules-mode file needs a file; name it with --rules");
    }
    try {
      return Optional.of(RulesFile.open(directory.resolve(rules.get())));
    } catch (IOException e) {
      throw new CommandFailure("cannot read the rules: %s".formatted(e));
    } catch (RuleFileException | IllegalArgumentException e) {
      throw new CommandFailure("the rules are not valid:\n" + e.getMessage());
    }
  }

  /**
   * Opens the rule repository and watches the rule file for changes.
   *
   * @param store instances that share a Redis store notify each other of changes through it
   * @throws CommandFailure if the database can't be opened
   */
  public RuleRepository open(Path directory, Optional<RulesFile> file, Store store) {
    if (mode == RulesMode.FILE) {
      return FileRuleRepository.follow(file.orElseThrow(), InstantSource.system(), poll);
    }
    var seed =
        file.map(read -> new Seed(read.rules(), SeedFile.changeInfo(read)))
            .orElseGet(() -> new Seed(ExampleRules.rules(), SeedFile.EXAMPLES));
    try {
      var repository = DatabaseRuleRepository.open(settings(directory, store), seed);
      file.ifPresent(read -> SeedFile.follow(repository, read, poll));
      return repository;
    } catch (RuleRepositoryException.Unavailable | IllegalArgumentException e) {
      throw CommandFailure.of(e);
    }
  }

  private DatabaseRuleRepository.Settings settings(Path directory, Store store) {
    var broadcast =
        store instanceof RedisStore redis
            ? Optional.of(redis.broadcast())
            : Optional.<Broadcast>empty();
    var copy = directory.resolve(data).resolve(SNAPSHOT_FILE);
    return new DatabaseRuleRepository.Settings(
        address(directory), copy, poll, broadcast, InstantSource.system());
  }

  private DatabaseAddress address(Path directory) {
    try {
      return DatabaseAddress.parse(database.orElseGet(() -> "h2:" + data + "/headgate"), directory);
    } catch (IllegalArgumentException e) {
      throw new CommandFailure("--database: " + e.getMessage());
    }
  }

  /** Returns the lines of the start-up message: the rules in force and where they are stored. */
  public String describe(RuleRepository repository) {
    var snapshot = repository.inForce();
    int count = snapshot.rules().rules().size();
    var revision = snapshot.revision();
    var text = new StringBuilder("  rules  ").append(count);
    if (SeedFile.changedElsewhere(snapshot).isPresent()) {
      text.append(", by ").append(revision.changeInfo().author());
      rules.ifPresent(file -> text.append("; ").append(file).append(" is not used"));
    } else if (rules.isPresent()) {
      text.append(" from ").append(rules.get()).append(", reloaded on change");
    } else if (revision.changeInfo().equals(SeedFile.EXAMPLES)) {
      text.append(" examples, since --rules is not given; to write your own:%n")
          .append("         ./headgate rules example > rules.yaml%n")
          .append("         ./headgate serve --rules rules.yaml");
    } else {
      text.append(", by ").append(revision.changeInfo().author());
    }
    var condition = repository.condition();
    String source = mode == RulesMode.FILE ? "only in that file" : condition.source();
    text.append("%n  kept   ").append(source).append(", revision ").append(revision.number());
    if (condition.problem().isPresent())
      text.append(" (a copy, since the database is unavailable)");
    return text.append("%n").toString().replace("%n", System.lineSeparator());
  }
}
