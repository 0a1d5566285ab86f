package io.headgate.rulefile;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Imports configuration files of envoyproxy/ratelimit. The resulting rules make the same decisions
 * for requests of Envoy's rate limit service protocol.
 */
public final class EnvoyFile {
  /**
   * Reads a file in UTF-8. Messages name the file.
   *
   * @throws RuleFileException if the file is not valid, and envoyproxy/ratelimit rejects it as well
   * @throws IOException if the file cannot be read
   */
  public static EnvoyImport read(Path file) throws IOException {
    var problems = new ProblemCollector();
    return imported(FileTextReader.read(file, problems), problems, file.toString());
  }

  /**
   * Reads the text of a configuration file.
   *
   * @throws RuleFileException if the text is not valid
   */
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
