package io.headgate.server.cli;

import io.headgate.rule.RuleSet;
import io.headgate.rulefile.RuleFile;
import io.headgate.rulefile.RuleFileException;
import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.Printable;
import io.headgate.server.cli.output.SystemErrorText;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Validates rule files. Needs no service. */
@Command(
    name = "lint",
    description =
        "Validates rule files. Exits with 0 if all are valid, 1 if not, 2 if one is unreadable.",
    mixinStandardHelpOptions = true)
final class LintCommand implements Callable<Integer> {
  private final CommandContext context;

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "The files to check.")
  private List<Path> files = new ArrayList<>();

  LintCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    int worst = Main.OK;
    for (var file : files) worst = Math.max(worst, lint(file));
    return worst;
  }

  private int lint(Path file) {
    try {
      // Messages use the path as given on the command line.
      var given = context.directory().resolve(file);
      var rules = RuleSet.of(RuleFile.read(given)).rules();
      var warnings = RuleFile.warnings(rules);
      for (var warning : warnings) {
        context.out().printf("%s: warning: %s%n", file, Printable.of(warning));
      }
      context
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
      for (var problem : e.problems()) context.out().printf("%s:%s%n", file, problem);
      if (e.more() > 0) context.out().printf("… and %d more%n", e.more());
      return Main.NO;
    } catch (IllegalArgumentException e) {
      context.out().printf("%s: %s%n", file, e.getMessage());
      return Main.NO;
    } catch (IOException e) {
      throw SystemErrorText.failure(file, e);
    }
  }
}
