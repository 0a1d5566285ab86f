package io.headgate.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.rule.Rule;
import io.headgate.rulefile.RuleFile;
import io.headgate.rulefile.RuleFileException;
import java.util.List;
import java.util.function.Function;

/** Rules as they come in a body: all that is wrong with them is said at once. */
final class RulesBody {
  static List<Rule> all(byte[] body) {
    return read(body, RuleFile::read);
  }

  static Rule one(byte[] body) {
    return read(body, RuleFile::readRule);
  }

  private static <T> T read(byte[] body, Function<String, T> reader) {
    if (body.length == 0) {
      throw Refusal.badInput("body", "is empty; send rules in JSON or YAML");
    }
    if (!Texts.isUtf8(body)) throw Refusal.badInput("body", "is not valid UTF-8");
    try {
      return reader.apply(new String(body, UTF_8));
    } catch (RuleFileException e) {
      throw notValid(e);
    }
  }

  private static Refusal notValid(RuleFileException e) {
    long count = e.problems().size() + (long) e.more();
    String detail =
        "the rules are not valid, and nothing was changed: %s%s"
            .formatted(
                e.problems().getFirst(), count == 1 ? "" : " (and %d more)".formatted(count - 1));
    return new Refusal(Problem.of(400, "body", detail).with(e.problems()));
  }

  private RulesBody() {}
}
