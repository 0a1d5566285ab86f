package io.headgate.rulefile;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Reads configurations of envoyproxy/ratelimit as rules that decide the same, for callers that ask
 * as Envoy does.
 */
public final class EnvoyFile {
  /**
   * Reads a file in UTF-8, and names it in messages.
   *
   * @throws RuleFileException if envoyproxy/ratelimit would not take it either
   */
  public static EnvoyImport read(Path file) throws IOException {
    var problems = new ProblemCollector();
    return imported(FileTextReader.read(file, problems), problems, file.toString());
  }

  public static EnvoyImport read(String text) {
    return imported(Optional.of(text), new ProblemCollector(), "");
  }

  private static EnvoyImport imported(
      Optional<String> text, ProblemCollector problems, String source) {
    var domain =
        text.flatMap(given -> DocumentParser.parse(given, problems))
            .flatMap(node -> new EnvoyReader().read(new FieldValue(node, "", problems)));
    problems.throwIfAny(source);
    return EnvoyRules.of(domain.orElseThrow());
  }

  private EnvoyFile() {}
}
