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

/** Where rules come from and where they are kept. */
public final class RuleOptions {
  private static final String COPY = "last-good-rules.json";

  /** Which of the two is the truth, where there is a file of rules. */
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
            throw new TypeConversionException("'%s' is neither seed nor file".formatted(value));
      };
    }
  }

  @Option(
      names = "--rules",
      paramLabel = "FILE",
      description =
          "The rules, in YAML or JSON; read again when the file changes."
              + " Default: a few examples (see headgate rules example)")
  private Optional<Path> rules = Optional.empty();

  @Option(
      names = "--rules-mode",
      paramLabel = "MODE",
      defaultValue = "seed",
      converter = Mode.class,
      description =
          "seed: --rules goes into the database until the rules are changed by other means."
              + " file: --rules is the truth, and nothing else changes the rules."
              + " Default: ${DEFAULT-VALUE}")
  private RulesMode mode = RulesMode.SEED;

  @Option(
      names = "--database",
      paramLabel = "ADDRESS",
      description =
          "Where rules and their history are kept: h2:PATH, or, for several instances,"
              + " postgresql://user:password@host:port/database."
              + " Default: h2:DIR/headgate, in the directory of --data")
  private Optional<String> database = Optional.empty();

  @Option(
      names = "--data",
      paramLabel = "DIR",
      defaultValue = "./headgate-data",
      description =
          "The directory for what this instance keeps: its database, if that is H2, and a copy of"
              + " the last good rules. Default: ${DEFAULT-VALUE}")
  private Path data = Path.of("headgate-data");

  @Option(
      names = "--rules-poll",
      paramLabel = "TIME",
      defaultValue = "1s",
      converter = DurationText.class,
      description =
          "How often to look for changed rules, in the database and in the file."
              + " Default: ${DEFAULT-VALUE}")
  private Duration poll = Duration.ofSeconds(1);

  /** The file of rules, if there is one, read and found valid. */
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
      throw new CommandFailure("the rules can't be read: %s".formatted(e));
    } catch (RuleFileException | IllegalArgumentException e) {
      throw new CommandFailure("the rules are not valid:\n" + e.getMessage());
    }
  }

  /** Opens the book of rules, and follows the file into it. */
  public RuleRepository open(Path directory, Optional<RulesFile> file, Store store) {
    if (mode == RulesMode.FILE) {
      return FileRuleRepository.follow(file.orElseThrow(), InstantSource.system(), poll);
    }
    var seed =
        file.map(read -> new Seed(read.rules(), SeedFile.signature(read)))
            .orElseGet(() -> new Seed(ExampleRules.rules(), SeedFile.EXAMPLES));
    try {
      var book = DatabaseRuleRepository.open(terms(directory, store), seed);
      file.ifPresent(read -> SeedFile.follow(book, read, poll));
      return book;
    } catch (RuleRepositoryException.Away | IllegalArgumentException e) {
      throw CommandFailure.of(e);
    }
  }

  private DatabaseRuleRepository.Terms terms(Path directory, Store store) {
    var bulletin =
        store instanceof RedisStore redis
            ? Optional.of(redis.bulletin())
            : Optional.<Broadcast>empty();
    var copy = directory.resolve(data).resolve(COPY);
    return new DatabaseRuleRepository.Terms(
        address(directory), copy, poll, bulletin, InstantSource.system());
  }

  private DatabaseAddress address(Path directory) {
    try {
      return DatabaseAddress.parse(database.orElseGet(() -> "h2:" + data + "/headgate"), directory);
    } catch (IllegalArgumentException e) {
      throw new CommandFailure("--database: " + e.getMessage());
    }
  }

  /** For people: which rules are in force, and where they are kept. */
  public String describe(RuleRepository book) {
    var edition = book.inForce();
    int count = edition.rules().rules().size();
    var revision = edition.revision();
    var text = new StringBuilder("  rules  ").append(count);
    if (SeedFile.elsewhere(edition).isPresent()) {
      text.append(", by ").append(revision.signature().author());
      rules.ifPresent(file -> text.append("; ").append(file).append(" is left alone"));
    } else if (rules.isPresent()) {
      text.append(" from ").append(rules.get()).append(", followed");
    } else if (revision.signature().equals(SeedFile.EXAMPLES)) {
      text.append(" examples, for want of --rules; to make them yours:%n")
          .append("         ./headgate rules example > rules.yaml%n")
          .append("         ./headgate serve --rules rules.yaml");
    } else {
      text.append(", by ").append(revision.signature().author());
    }
    var condition = book.condition();
    String source = mode == RulesMode.FILE ? "in that file alone" : condition.source();
    text.append("%n  kept   ").append(source).append(", revision ").append(revision.number());
    if (condition.problem().isPresent()) text.append(" (a copy: the database is away)");
    return text.append("%n").toString().replace("%n", System.lineSeparator());
  }
}
