package io.headgate.server.cli;

import io.headgate.rule.RuleSet;
import io.headgate.rulefile.RuleFile;
import io.headgate.rulefile.RuleFileException;
import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.Printable;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Says what is wrong with files of rules. Needs no service. */
@Command(
    name = "lint",
    description = "Checks files of rules. Exits with 0 if all is well, 1 if not, 2 if unreadable.",
    mixinStandardHelpOptions = true)
final class LintCommand implements Callable<Integer> {
  private final CommandContext around;

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "The files to check.")
  private List<Path> files = new ArrayList<>();

  LintCommand(CommandContext around) {
    this.around = around;
  }

  @Override
  public Integer call() {
    int worst = Main.OK;
    for (var file : files) worst = Math.max(worst, lint(file));
    return worst;
  }

  private int lint(Path file) {
    try {
      // By the name that was given, which is how messages are to name it.
      var given = around.directory().resolve(file);
      var rules = RuleSet.of(RuleFile.read(given)).rules();
      var warnings = RuleFile.warnings(rules);
      for (var warning : warnings) {
        around.out().printf("%s: warning: %s%n", file, Printable.of(warning));
      }
      around
          .out()
          .printf(
              "%s: %d rule%s, %s%n",
              file,
              rules.size(),
              rules.size() == 1 ? "" : "s",
              switch (warnings.size()) {
                case 0 -> "no problems";
                case 1 -> "no problems, 1 warning";
                default -> "no problems, %d warnings".formatted(warnings.size());
              });
      return Main.OK;
    } catch (RuleFileException e) {
      for (var problem : e.problems()) around.out().printf("%s:%s%n", file, problem);
      if (e.more() > 0) around.out().printf("… and %d more%n", e.more());
      return Main.NO;
    } catch (IllegalArgumentException e) {
      around.out().printf("%s: %s%n", file, e.getMessage());
      return Main.NO;
    } catch (NoSuchFileException e) {
      around.err().printf("headgate: %s: there is no such file%n", file);
      return Main.ERROR;
    } catch (IOException e) {
      around.err().printf("headgate: %s can't be read: %s%n", file, e);
      return Main.ERROR;
    }
  }
}
