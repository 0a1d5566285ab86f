package io.headgate.server.rules;

import io.headgate.rule.RuleSet;
import io.headgate.rulefile.RuleFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The example rules, in force when Headgate is started without any rules. */
public final class ExampleRules {
  private static final String RESOURCE = "example-rules.yaml";

  /** Returns the text of the example file, including its comments. */
  public static String text() {
    try (var in = ExampleRules.class.getResourceAsStream(RESOURCE)) {
      if (in == null) throw new IllegalStateException(RESOURCE + " is missing from the build");
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the compiled example rules. */
  public static RuleSet rules() {
    return RuleSet.of(RuleFile.read(text()));
  }

  private ExampleRules() {}
}
