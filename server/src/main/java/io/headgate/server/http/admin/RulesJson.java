package io.headgate.server.http.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.http.TextSyntax;
import io.headgate.rule.Rule;
import io.headgate.rulefile.RuleFile;
import io.headgate.rulefile.RuleFileException;
import io.headgate.server.api.ProblemDocument;
import io.headgate.server.api.ProblemException;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/** Parses rules in a request body and reports all errors at once. */
public final class RulesJson {
  /** Parses a rule file. */
  static List<Rule> all(byte[] body) {
    return read(body, RuleFile::read);
  }

  /** Parses one rule. */
  static Rule one(byte[] body) {
    return read(body, RuleFile::readRule);
  }

  private static <T> T read(byte[] body, Function<String, T> reader) {
    if (body.length == 0) {
      throw ProblemException.badInput("body", "is empty; send rules in JSON or YAML");
    }
    if (!TextSyntax.isUtf8(body)) throw ProblemException.badInput("body", "is not valid UTF-8");
    return read(
        "body",
        "the rules are not valid, and nothing was changed",
        () -> reader.apply(new String(body, UTF_8)));
  }

  /**
   * Runs a reader and converts its errors to a problem document.
   *
   * @param field the field of the request that contains the text
   * @param flaw the beginning of the message
   */
  public static <T> T read(String field, String flaw, Supplier<T> reader) {
    try {
      return reader.get();
    } catch (RuleFileException e) {
      long count = e.problems().size() + (long) e.more();
      String detail =
          "%s: %s%s"
              .formatted(
                  flaw,
                  e.problems().getFirst(),
                  count == 1 ? "" : " (and %d more)".formatted(count - 1));
      throw new ProblemException(ProblemDocument.of(400, field, detail).with(e.problems()));
    }
  }

  private RulesJson() {}
}
