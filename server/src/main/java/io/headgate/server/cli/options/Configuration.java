package io.headgate.server.cli.options;

import io.headgate.rulefile.NameSuggester;
import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.SystemErrorText;
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
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.Load;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import picocli.CommandLine.IDefaultValueProvider;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * Provides the values of options that are not on the command line: from the environment ({@code
 * HEADGATE_PORT}), else from {@code headgate.yaml} ({@code port: 8080}), else their defaults.
 *
 * <p>Messages name the file and the position of an error but never quote values, which may be
 * secrets.
 */
public final class Configuration implements IDefaultValueProvider {
  public static final String DEFAULT_FILE = "headgate.yaml";

  private static final String PREFIX = "HEADGATE_";

  /** Variables of the launcher and of the tests. */
  private static final Set<String> OTHER_VARIABLES =
      Set.of(
          "JAVA",
          "JAVA_HOME",
          "JAVA_OPTS",
          "JDK_DIRS",
          "JAR",
          "UNCACHED",
          "CHROMIUM",
          "ENVOY",
          "WARM_UP_MS");

  /** Variables that Kubernetes sets for a service called headgate, or headgate-something. */
  private static final Pattern SERVICE_LINK =
      Pattern.compile("(\\w+_)?(SERVICE_HOST|SERVICE_PORT(_\\w+)?|PORT_\\d+_(TCP|UDP)(_\\w+)?)");

  private static final String ADVICE =
      "check quotes and indentation (the text is not shown, since it may contain a secret)";

  /** The options that the environment and the file can set. */
  public static final Set<String> NAMES =
      new TreeSet<>(
          Set.of(
              "port",
              "host",
              "rules",
              "rules-mode",
              "rules-poll",
              "strict-costs",
              "database",
              "data",
              "store",
              "max-keys",
              "store-prefix",
              "store-layout",
              "store-timeout",
              "store-ca",
              "join",
              "cluster-size",
              "cluster-host",
              "cluster-port",
              "cluster-data-port",
              "cluster-cert",
              "cluster-key",
              "cluster-ca",
              "cluster-secret",
              "cluster-backups",
              "cluster-timeout",
              "region",
              "home",
              "home-token",
              "home-ca",
              "home-timeout",
              "region-lease",
              "sync-interval",
              "admin-token",
              "read-token",
              "check-token",
              "usage-token",
              "lease-token",
              "signal-token",
              "region-token",
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
              "mask-callers",
              "webhook",
              "webhook-secret",
              "otlp-endpoint",
              "trace-ratio",
              "log-format",
              "url",
              "token",
              "timeout",
              "ca"));

  /** The options that may have several values. */
  private static final Set<Object> LISTS =
      Set.of(
          "admin-token",
          "read-token",
          "check-token",
          "usage-token",
          "lease-token",
          "signal-token",
          "region-token",
          "trusted-proxies",
          "client-ip-from",
          "caller-attributes");

  private final Map<String, String> environment;
  private final Map<String, String> file;
  private final String fileName;
  private final boolean isDefaultFile;
  private final Map<String, String> origins = new HashMap<>();

  private Configuration(
      Map<String, String> environment,
      Map<String, String> file,
      String fileName,
      boolean isDefaultFile) {
    this.environment = environment;
    this.file = file;
    this.fileName = fileName;
    this.isDefaultFile = isDefaultFile;
  }

  /**
   * Reads the file that {@code --config} names, or {@link #DEFAULT_FILE} if it exists.
   *
   * @throws CommandFailure if the file can't be read, is not valid YAML, or has an unknown option
   */
  public static Configuration of(CommandContext context, String[] args) {
    var configOption = argument("config", args);
    var path = context.directory().resolve(configOption.orElse(DEFAULT_FILE));
    boolean read = configOption.isPresent() || Files.exists(path);
    return new Configuration(
        context.environment(),
        read ? values(path) : Map.of(),
        path.toString(),
        configOption.isEmpty());
  }

  /** Returns a configuration of the environment alone. */
  public static Configuration withoutFile(CommandContext context) {
    return new Configuration(context.environment(), Map.of(), DEFAULT_FILE, true);
  }

  /**
   * Returns the value of an option before the command line is parsed, or although it can't be
   * parsed: from the arguments, the environment or the file.
   */
  Optional<String> unparsed(String name, String[] args) {
    return argument(name, args)
        .or(() -> Optional.ofNullable(environment.get(variable(name))).filter(v -> !v.isEmpty()))
        .or(() -> Optional.ofNullable(file.get(name)));
  }

  private static Optional<String> argument(String name, String[] args) {
    String option = "--" + name;
    for (int i = 0; i < args.length; i++) {
      if (args[i].startsWith(option + "=")) {
        return Optional.of(args[i].substring(option.length() + 1));
      }
      if (args[i].equals(option) && i + 1 < args.length) return Optional.of(args[i + 1]);
    }
    return Optional.empty();
  }

  private static Map<String, String> values(Path path) {
    Object content;
    try {
      content = new Load(LoadSettings.builder().build()).loadFromString(Files.readString(path));
    } catch (IOException e) {
      throw new CommandFailure("%s can't be read: %s".formatted(path, SystemErrorText.of(e)));
    } catch (YamlEngineException e) {
      throw new CommandFailure("%s%s is not valid YAML; %s".formatted(path, position(e), ADVICE));
    }
    var values = new LinkedHashMap<String, String>();
    if (content == null) return values; // nothing but comments
    if (!(content instanceof Map<?, ?> map)) {
      throw new CommandFailure("%s must be a map such as port: 8080".formatted(path));
    }
    map.forEach((name, value) -> values.put(requireKnown(path, name), scalar(path, name, value)));
    return values;
  }

  /** Returns the position of an error. The parser's message quotes text that may be a secret. */
  private static String position(YamlEngineException e) {
    if (!(e instanceof MarkedYamlEngineException marked)) return "";
    return marked
        .getContextMark()
        .or(marked::getProblemMark)
        .map(mark -> ":%d:%d:".formatted(mark.getLine() + 1, mark.getColumn() + 1))
        .orElse("");
  }

  private static String requireKnown(Path path, Object name) {
    if (name instanceof String text && NAMES.contains(text)) return text;
    if (name instanceof String text && RenamedOptions.currentName(text).isPresent()) {
      throw new CommandFailure(
          "%s: option '%s' was renamed; use %s"
              .formatted(path, text, RenamedOptions.currentName(text).get()));
    }
    // A malformed line may begin with a secret, so only plausible names are repeated.
    boolean isName = name instanceof String text && text.matches("[a-z-]{1,32}");
    throw new CommandFailure(
        "%s: %s; allowed: %s"
            .formatted(
                path,
                isName ? "unknown option '" + name + "'" : "unknown option",
                String.join(", ", NAMES)));
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
    if (!value.isEmpty()) return recordOrigin(name, variable, value);
    value = file.getOrDefault(name, "");
    return value.isEmpty() ? null : recordOrigin(name, name + " in " + fileName, value);
  }

  private String recordOrigin(String name, String origin, String value) {
    origins.put(name, origin);
    return value;
  }

  /**
   * Returns whether an option that is not on the command line has its value from a {@link
   * #DEFAULT_FILE} in the current directory, rather than from a file named by {@code --config}.
   */
  public boolean isFromFoundFile(OptionSpec option) {
    String name = option.longestName().substring(2);
    return isDefaultFile && !isSet(variable(name)) && !file.getOrDefault(name, "").isEmpty();
  }

  private static String variable(String name) {
    return PREFIX + name.toUpperCase(Locale.ROOT).replace('-', '_');
  }

  /**
   * Requires that the environment does not set an option under a former name, which would have no
   * effect. An option that is set under its current name is accepted.
   *
   * @throws CommandFailure if it does
   */
  public void requireCurrentNames(ParseResult parsed) {
    for (var option : parsed.commandSpec().options()) {
      String name = option.longestName().substring(2);
      if (parsed.hasMatchedOption(option) || isSet(variable(name))) continue;
      RenamedOptions.formerName(name)
          .map(Configuration::variable)
          .filter(this::isSet)
          .ifPresent(former -> {
            throw new CommandFailure("%s was renamed; set %s".formatted(former, variable(name)));
          });
    }
  }

  /**
   * Returns a warning for each variable of the environment that looks like an option but is none,
   * with the nearest option. Variables that the launcher, the build or a container platform sets
   * are ignored.
   */
  public List<String> unknownVariables() {
    var known = NAMES.stream().map(Configuration::variable).toList();
    return environment.keySet().stream()
        .filter(name -> name.startsWith(PREFIX) && isSet(name))
        .filter(name -> !known.contains(name) && !isOtherVariable(name))
        .sorted()
        .map(name ->
            "the environment variable %s has no effect%s"
                .formatted(
                    name,
                    NameSuggester.nearest(name, known)
                        .map("; did you mean %s?"::formatted)
                        .orElse("; headgate serve --help lists the options")))
        .toList();
  }

  /** Returns whether a variable is not meant to be an option, such as those of Kubernetes. */
  private static boolean isOtherVariable(String name) {
    String rest = name.substring(PREFIX.length());
    return OTHER_VARIABLES.contains(rest)
        || RenamedOptions.currentName(rest.toLowerCase(Locale.ROOT).replace('_', '-')).isPresent()
        || SERVICE_LINK.matcher(rest).matches();
  }

  private boolean isSet(String variable) {
    return !environment.getOrDefault(variable, "").isEmpty();
  }

  /** Returns where the value of an option was found; empty if on the command line. */
  public Optional<String> origin(ArgSpec argument) {
    return argument instanceof OptionSpec option
        ? Optional.ofNullable(origins.get(option.longestName().substring(2)))
        : Optional.empty();
  }
}
