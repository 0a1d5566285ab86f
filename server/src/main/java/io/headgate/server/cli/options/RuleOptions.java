package io.headgate.server.cli.options;

import io.headgate.rulefile.RuleFileException;
import io.headgate.server.RuleSource;
import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.DurationText;
import io.headgate.server.cli.output.SystemErrorText;
import io.headgate.server.rules.RuleRepository;
import io.headgate.server.rules.RuleSnapshot;
import io.headgate.server.rules.RulesFile;
import io.headgate.server.rules.SeedFile;
import io.headgate.server.rules.database.DatabaseAddress;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
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

  @Option(
      names = "--strict-costs",
      arity = "0..1",
      paramLabel = "true|false",
      fallbackValue = "true",
      defaultValue = "false",
      description =
          "Reject a request with a named cost that no matching limit spends, which is probably"
              + " misspelled, instead of listing it in unusedCosts. Default: ${DEFAULT-VALUE}")
  private boolean strictCosts;

  /** Returns whether a request with a cost that no matching limit spends is rejected. */
  public boolean strictCosts() {
    return strictCosts;
  }

  /**
   * Reads and validates the rule file, if there is one, and returns the source of the rules.
   *
   * @param directory what relative paths are resolved against
   * @throws CommandFailure if an option or the file is not valid
   */
  public RuleSource source(Path directory) {
    if (poll.compareTo(Duration.ofMillis(10)) < 0) {
      throw new CommandFailure(
          "--rules-poll must be at least 10ms, got %s"
              .formatted(DurationText.text(poll.toMillis())));
    }
    var file = rules.map(path -> read(directory.resolve(path)));
    return switch (mode) {
      case SEED ->
          new RuleSource.OfDatabase(
              address(directory), directory.resolve(data).resolve(SNAPSHOT_FILE), poll, file);
      case FILE ->
          new RuleSource.OfFile(
              file.orElseThrow(
                  () -> new CommandFailure("--rules-mode file needs a file; name it with --rules")),
              poll);
    };
  }

  /** Returns the directory for the data of this instance. It may not exist yet. */
  public Path data(Path directory) {
    return directory.resolve(data);
  }

  private static RulesFile read(Path file) {
    try {
      return RulesFile.open(file);
    } catch (IOException e) {
      throw new CommandFailure(
          "cannot read the rules: %s: %s".formatted(file, SystemErrorText.of(e)));
    } catch (RuleFileException | IllegalArgumentException e) {
      throw new CommandFailure("the rules are not valid:\n" + e.getMessage());
    }
  }

  /**
   * Returns the address of the rules database; empty if a file is the only source of rules.
   *
   * @param directory what relative paths are resolved against
   * @throws CommandFailure if the address is not valid
   */
  public Optional<DatabaseAddress> database(Path directory) {
    return mode == RulesMode.FILE ? Optional.empty() : Optional.of(address(directory));
  }

  private DatabaseAddress address(Path directory) {
    try {
      return DatabaseAddress.parse(database.orElseGet(() -> "h2:" + data + "/headgate"), directory);
    } catch (IllegalArgumentException e) {
      throw new CommandFailure("--database: " + e.getMessage());
    }
  }

  /**
   * Returns the parts of the start-up message, which may have several lines: {@code rules}, the
   * rules in force, and {@code kept}, where they are stored.
   */
  public Map<String, String> describe(RuleRepository repository) {
    var parts = new LinkedHashMap<String, String>();
    var condition = repository.condition();
    parts.put("rules", rules(repository.inForce(), condition.ignoredFile().isPresent()));
    String source = mode == RulesMode.FILE ? "only in that file" : condition.source();
    String copy =
        condition.problem().isPresent() ? " (a copy, since the database is unavailable)" : "";
    parts.put("kept", "%s, revision %d%s".formatted(source, repository.inForce().number(), copy));
    return parts;
  }

  private String rules(RuleSnapshot inForce, boolean ignored) {
    int count = inForce.rules().rules().size();
    var changeInfo = inForce.revision().changeInfo();
    boolean changed = SeedFile.changedElsewhere(inForce).isPresent();
    if (ignored && rules.isPresent()) {
      return """
      %d, by %s; %s is ignored, since the rules were changed by other means
      to use it once:   ./headgate rules apply %s
      to always use it: ./headgate serve --rules %s --rules-mode file\
      """
          .formatted(count, changeInfo.author(), rules.get(), rules.get(), rules.get());
    }
    if (!changed && rules.isPresent()) {
      return "%d from %s, reloaded on change".formatted(count, rules.get());
    }
    if (changeInfo.equals(SeedFile.EXAMPLES)) {
      return """
      %d examples, since --rules is not given; to write your own:
      ./headgate rules example > rules.yaml
      ./headgate serve --rules rules.yaml\
      """
          .formatted(count);
    }
    return "%d, by %s".formatted(count, changeInfo.author());
  }
}
