package io.headgate.server.cli.options;

import java.util.Locale;
import picocli.CommandLine.Option;

/** How the log is written: for people who watch, or for programs that collect it. */
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

  /** Read by {@code logback.xml}. */
  private static final String PROPERTY = "headgate.log";

  @Option(
      names = "--log-format",
      paramLabel = "FORMAT",
      defaultValue = "auto",
      description =
          "How the log is written to standard error: text, json (one object a line), or auto: text"
              + " on a terminal, else json. Default: ${DEFAULT-VALUE}")
  private Format format = Format.AUTO;

  /** To be called before the first line is logged: later it has no effect. */
  public void apply() {
    switch (format) {
      // Java can't tell whether standard error is a terminal; the launcher can, and has said so.
      case AUTO -> System.setProperty(PROPERTY, System.getProperty(PROPERTY, "json"));
      case TEXT -> System.setProperty(PROPERTY, "text");
      case JSON -> System.setProperty(PROPERTY, "json");
    }
  }
}
