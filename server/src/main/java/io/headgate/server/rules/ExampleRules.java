package io.headgate.server.rules;

import io.headgate.rule.RuleSet;
import io.headgate.rulefile.RuleFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** What is in force where nobody has said anything: enough to try things out. */
public final class ExampleRules {
  private static final String RESOURCE = "example-rules.yaml";

  /** As written, comments included. */
  public static String text() {
    try (var in = ExampleRules.class.getResourceAsStream(RESOURCE)) {
      if (in == null) throw new IllegalStateException(RESOURCE + " is missing from the build");
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static RuleSet rules() {
    return RuleSet.of(RuleFile.read(text()));
  }

  private ExampleRules() {}
}
