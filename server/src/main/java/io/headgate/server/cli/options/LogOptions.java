package io.headgate.server.cli.options;

import java.util.Locale;
import picocli.CommandLine.Option;

/** The {@code --log-format} option. */
public final class LogOptions {
  private enum Format {
    AUTO,
    TEXT,
    JSON;

    @Override
    public String toString() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  private static final String NAME = "log-format";

  /** Read by {@code logback.xml}. */
  private static final String PROPERTY = "headgate.log";

  @Option(
      names = "--" + NAME,
      paramLabel = "FORMAT",
      defaultValue = "auto",
      description =
          "The format of the log on standard error and of the start-up message: text, json (one"
              + " object on each line), or auto: text on a terminal, otherwise json. Default:"
              + " ${DEFAULT-VALUE}")
  private Format format = Format.AUTO;

  /** Returns whether each line of output is a JSON object. Must be called after {@link #apply}. */
  public boolean isJson() {
    return "json".equals(System.getProperty(PROPERTY));
  }

  /**
   * Returns whether a service writes JSON, before its options are parsed. A value that is not valid
   * counts as {@code auto}.
   */
  public static boolean isJson(Configuration configuration, String[] args) {
    return switch (configuration.unparsed(NAME, args).orElse("").toLowerCase(Locale.ROOT)) {
      case "json" -> true;
      case "text" -> false;
      default -> "json".equals(System.getProperty(PROPERTY, "json"));
    };
  }

  /** Applies the format. Must be called before the first line is logged; later it has no effect. */
  public void apply() {
    switch (format) {
      // Java can't detect whether standard error is a terminal; the launcher sets the property.
      case AUTO -> System.setProperty(PROPERTY, System.getProperty(PROPERTY, "json"));
      case TEXT -> System.setProperty(PROPERTY, "text");
      case JSON -> System.setProperty(PROPERTY, "json");
    }
  }
}
