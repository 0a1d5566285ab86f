package io.headgate.server.cli.options;

import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.CommandFailure;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Values for options that are not given as flags: from the environment ({@code HEADGATE_PORT}),
 * else from {@code headgate.yaml} ({@code port: 8080}), else their defaults.
 */
public final class Configuration implements IDefaultValueProvider {
  public static final String DEFAULT_FILE = "headgate.yaml";

  private static final String ADVICE =
      "look at quotes and indentation there (the text is not shown, since it may be a secret)";

  /** What may be set outside of the command line; the rest is about one call only. */
  public static final Set<String> NAMES =
      new TreeSet<>(
          Set.of(
              "port",
              "host",
              "rules",
              "rules-mode",
              "rules-poll",
              "database",
              "data",
              "store",
              "max-keys",
              "store-prefix",
              "store-timeout",
              "store-ca",
              "sync-interval",
              "admin-token",
              "read-token",
              "check-token",
              "token-file",
              "tls-cert",
              "tls-key",
              "tls-client-ca",
              "tls-client-auth",
              "trusted-proxies",
              "client-ip-from",
              "max-connections",
              "max-connections-per-address",
              "idle-timeout",
              "header-timeout",
              "body-timeout",
              "shutdown-grace",
              "drain-delay",
              "warm-up",
              "grpc-deadline",
              "caller-attributes",
              "webhook",
              "webhook-secret",
              "otlp-endpoint",
              "trace-ratio",
              "log-format",
              "url",
              "token"));

  /** Those that may be several. */
  private static final Set<Object> LISTS =
      Set.of(
          "admin-token",
          "read-token",
          "check-token",
          "trusted-proxies",
          "client-ip-from",
          "caller-attributes");

  private final Map<String, String> environment;
  private final Map<String, String> file;
  private final String fileName;
  private final boolean found;
  private final Map<String, String> origins = new HashMap<>();

  private Configuration(
      Map<String, String> environment, Map<String, String> file, String fileName, boolean found) {
    this.environment = environment;
    this.file = file;
    this.fileName = fileName;
    this.found = found;
  }

  /** Reads the file that {@code --config} names, or the usual one if it is there. */
  public static Configuration of(CommandContext surroundings, String[] args) {
    var named = named(args);
    var path = surroundings.directory().resolve(named.orElse(DEFAULT_FILE));
    boolean read = named.isPresent() || Files.exists(path);
    return new Configuration(
        surroundings.environment(),
        read ? values(path) : Map.of(),
        path.toString(),
        named.isEmpty());
  }

  private static Optional<String> named(String[] args) {
    for (int i = 0; i < args.length; i++) {
      if (args[i].startsWith("--config=")) return Optional.of(args[i].substring(9));
      if (args[i].equals("--config") && i + 1 < args.length) return Optional.of(args[i + 1]);
    }
    return Optional.empty();
  }

  private static Map<String, String> values(Path path) {
    Object content;
    try {
      content = new Load(LoadSettings.builder().build()).loadFromString(Files.readString(path));
    } catch (IOException e) {
      throw new CommandFailure("%s can't be read: %s".formatted(path, e));
    } catch (YamlEngineException e) {
      throw new CommandFailure("%s%s is not valid YAML; %s".formatted(path, place(e), ADVICE));
    }
    var values = new LinkedHashMap<String, String>();
    if (content == null) return values; // nothing but comments
    if (!(content instanceof Map<?, ?> map)) {
      throw new CommandFailure("%s must be a map such as port: 8080".formatted(path));
    }
    map.forEach((name, value) -> values.put(known(path, name), scalar(path, name, value)));
    return values;
  }

  /** Where it is, and not what: the parser's own message quotes the text, which may be a secret. */
  private static String place(YamlEngineException e) {
    if (!(e instanceof MarkedYamlEngineException marked)) return "";
    return marked
        .getContextMark()
        .or(marked::getProblemMark)
        .map(mark -> ":%d:%d:".formatted(mark.getLine() + 1, mark.getColumn() + 1))
        .orElse("");
  }

  private static String known(Path path, Object name) {
    if (name instanceof String text && NAMES.contains(text)) return text;
    // A line that is not what it should be may begin with a secret.
    boolean isName = name instanceof String text && text.matches("[a-z-]{1,32}");
    throw new CommandFailure(
        "%s: %s is not known; allowed: %s"
            .formatted(path, isName ? "'" + name + "'" : "a name", String.join(", ", NAMES)));
  }

  private static String scalar(Path path, Object name, @Nullable Object value) {
    if (isScalar(value)) return String.valueOf(value);
    if (LISTS.contains(name)
        && value instanceof List<?> list
        && list.stream().allMatch(Configuration::isScalar)) {
      return list.stream().map(String::valueOf).collect(Collectors.joining(","));
    }
    String kind =
        switch (value) {
          case null -> "nothing";
          case List<?> list -> "a list";
          case Map<?, ?> map -> "a map";
          default -> "something else"; // such as a binary value
        };
    throw new CommandFailure("%s: %s must be one value, got %s".formatted(path, name, kind));
  }

  private static boolean isScalar(@Nullable Object value) {
    return value instanceof String || value instanceof Number || value instanceof Boolean;
  }

  @Override
  public @Nullable String defaultValue(ArgSpec argument) {
    if (!(argument instanceof OptionSpec option)) return null;
    String name = option.longestName().substring(2);
    if (!NAMES.contains(name)) return null;
    String variable = variable(name);
    String value = environment.getOrDefault(variable, "");
    if (!value.isEmpty()) return found(name, variable, value);
    value = file.getOrDefault(name, "");
    return value.isEmpty() ? null : found(name, name + " in " + fileName, value);
  }

  private String found(String name, String origin, String value) {
    origins.put(name, origin);
    return value;
  }

  /**
   * Whether an option that is not on the command line has its value from the usual file, which was
   * found in the current directory and not named by {@code --config}.
   */
  public boolean isFromFoundFile(OptionSpec option) {
    String name = option.longestName().substring(2);
    return found
        && environment.getOrDefault(variable(name), "").isEmpty()
        && !file.getOrDefault(name, "").isEmpty();
  }

  private static String variable(String name) {
    return "HEADGATE_" + name.toUpperCase(Locale.ROOT).replace('-', '_');
  }

  /** Where an option's value was found, if not on the command line. */
  public Optional<String> origin(ArgSpec argument) {
    return argument instanceof OptionSpec option
        ? Optional.ofNullable(origins.get(option.longestName().substring(2)))
        : Optional.empty();
  }
}
