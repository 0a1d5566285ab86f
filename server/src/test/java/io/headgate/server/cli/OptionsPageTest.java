package io.headgate.server.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.server.cli.options.Configuration;
import io.headgate.server.cli.output.CommandContext;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/**
 * Checks that the table of options in {@code docs/operations.md} matches the code. To update it:
 * {@code mvn -pl server -am test -Dtest=OptionsPageTest -Dheadgate.docs.record=true}
 */
class OptionsPageTest {
  private static final Path PAGE = Path.of("..", "docs", "operations.md");
  private static final String BEGIN = "<!-- options begin -->\n";
  private static final String END = "<!-- options end -->";

  @Test
  void pageMatchesTheOptions() throws IOException {
    String page = Files.readString(PAGE);
    int begin = page.indexOf(BEGIN) + BEGIN.length();
    int end = page.indexOf(END);
    String made = page.substring(0, begin) + table() + page.substring(end);
    if (Boolean.getBoolean("headgate.docs.record")) Files.writeString(PAGE, made);
    assertThat(Files.readString(PAGE)).as("made from the code").isEqualTo(made);
  }

  @Test
  void everyFlagCanBeSetInTheEnvironmentAndTheFile() {
    var names =
        serve().getCommandSpec().options().stream()
            .map(option -> option.longestName().substring(2))
            .filter(name -> !name.matches("help|version|config"));
    assertThat(Configuration.NAMES).containsAll(names.toList());
  }

  private static String table() {
    var rows =
        serve().getCommandSpec().options().stream()
            .filter(option -> !option.longestName().matches("--(help|version|config)"))
            .map(OptionsPageTest::row)
            .collect(Collectors.joining());
    return "| flag | variable | |\n|---|---|---|\n" + rows;
  }

  private static String row(OptionSpec option) {
    String name = option.longestName();
    String variable = "HEADGATE_" + name.substring(2).toUpperCase(Locale.ROOT).replace('-', '_');
    String defaultValue = String.valueOf(option.defaultValue());
    String text =
        String.join(" ", option.description())
            .replace("${DEFAULT-VALUE}", defaultValue)
            .replace("%%", "%")
            .replace("|", "\\|")
            .replaceAll("Default: (\\S+)$", "Default: `$1`");
    return "| `%s` | `%s` | %s |\n".formatted(name, variable, text);
  }

  private static CommandLine serve() {
    var nowhere = new PrintWriter(new StringWriter());
    var context = new CommandContext(Map.of(), Path.of(""), nowhere, nowhere, false);
    return new CommandLine(new ServeCommand(context, Configuration.of(context, new String[0])));
  }
}
