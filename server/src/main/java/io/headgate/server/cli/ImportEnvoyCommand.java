package io.headgate.server.cli;

import com.fasterxml.jackson.core.JsonFactory;
import io.headgate.rulefile.EnvoyFile;
import io.headgate.rulefile.EnvoyImport;
import io.headgate.rulefile.RuleFile;
import io.headgate.rulefile.RuleFileException;
import io.headgate.server.cli.output.CommandContext;
import io.headgate.server.cli.output.SystemErrorText;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Converts a configuration of envoyproxy/ratelimit to rules. Needs no service. */
@Command(
    name = "import-envoy",
    description =
        "Converts a configuration of envoyproxy/ratelimit to equivalent rules; parts that can't be"
            + " converted are listed on standard error. Exits with 0, or with 1 if the file is not"
            + " valid or the rules would admit more than it does (no rules are printed then, unless"
            + " --allow-loosening is given), 2 if it is unreadable.",
    mixinStandardHelpOptions = true)
final class ImportEnvoyCommand implements Callable<Integer> {
  private final CommandContext context;

  @Parameters(paramLabel = "FILE", description = "The configuration of one domain, in YAML.")
  private Path file = Path.of("");

  @Option(
      names = "--json",
      description = "Print one JSON object with rules and notes, and nothing on standard error.")
  private boolean json;

  @Option(
      names = "--allow-loosening",
      description = "Print the rules even if they admit requests that the configuration denies.")
  private boolean allowLoosening;

  ImportEnvoyCommand(CommandContext context) {
    this.context = context;
  }

  @Override
  public Integer call() {
    try {
      var imported = EnvoyFile.read(context.directory().resolve(file));
      boolean accepted = allowLoosening || !imported.isLoosened();
      print(imported, accepted);
      return accepted ? Main.OK : Main.NO;
    } catch (RuleFileException e) {
      for (var problem : e.problems()) context.err().printf("%s:%s%n", file, problem);
      if (e.more() > 0) context.err().printf("… and %d more%n", e.more());
      return Main.NO;
    } catch (IOException e) {
      throw SystemErrorText.failure(file, e);
    }
  }

  /** Prints the rules, if they are accepted, and the notes. */
  private void print(EnvoyImport imported, boolean accepted) {
    if (json) {
      context.out().println(jsonOf(imported, accepted));
      return;
    }
    if (accepted) context.out().print(RuleFile.yaml(imported.rules()));
    context.out().flush();
    for (var note : imported.notes()) context.err().printf("%s:%s%n", file, note);
    if (accepted) return;
    long loosened = imported.notes().stream().filter(EnvoyImport.Note::loosens).count();
    context
        .err()
        .printf(
            "%s: not imported: the rules would admit more than this configuration in %d place%s,"
                + " marked loosened; change the configuration, or accept it with"
                + " --allow-loosening%n",
            file, loosened, loosened == 1 ? "" : "s");
  }

  private static String jsonOf(EnvoyImport imported, boolean accepted) {
    var text = new StringWriter();
    try (var out = new JsonFactory().createGenerator(text)) {
      out.writeStartObject();
      if (accepted) {
        out.writeArrayFieldStart("rules");
        for (var rule : imported.rules()) out.writeRawValue(RuleFile.json(rule));
        out.writeEndArray();
      }
      out.writeArrayFieldStart("notes");
      for (var note : imported.notes()) {
        out.writeStartObject();
        out.writeNumberField("line", note.line());
        out.writeStringField("path", note.path());
        out.writeStringField("what", note.what());
        out.writeStringField("why", note.why());
        out.writeStringField("advice", note.advice());
        out.writeBooleanField("loosens", note.loosens());
        out.writeEndObject();
      }
      out.writeEndArray();
      out.writeEndObject();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return text.toString();
  }
}
