package io.headgate.server.http.simulation;

import com.fasterxml.jackson.core.JsonToken;
import io.headgate.http.TextSyntax;
import io.headgate.server.api.ProblemException;
import io.headgate.server.http.protocol.JsonReader;
import io.headgate.server.simulation.accesslog.AccessLog;
import java.util.HashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** Parses what-if requests. */
public final class WhatIfReader {
  private static final Set<String> FIELDS = Set.of("rules", "replace", "source");
  private static final Set<String> SOURCE_FIELDS = Set.of("kind", "text", "format", "key");

  private final JsonReader in;
  private Optional<String> rules = Optional.empty();
  private Optional<String> replace = Optional.empty();
  private String kind = "recent";
  private Optional<String> text = Optional.empty();
  private Optional<String> key = Optional.empty();
  private AccessLog.Format format = AccessLog.Format.AUTO;

  /**
   * A what-if request.
   *
   * @param rules the text of a rule file, or of one rule if {@code replace} is given
   * @param replace the id of the rule in force to replace with the given one; empty to replace all
   * @param log the requests to replay; empty for the recent requests of this instance
   */
  public record WhatIfRequest(String rules, Optional<String> replace, Optional<Log> log) {}

  /** An access log in the body. */
  record Log(String text, AccessLog.Format format, Optional<String> key) {}

  private WhatIfReader(JsonReader in) {
    this.in = in;
  }

  /**
   * Parses a body.
   *
   * @throws ProblemException with status 400 if the body is not valid
   */
  public static WhatIfRequest read(byte[] body) {
    var in = JsonReader.of(body);
    in.beginObject();
    var reader = new WhatIfReader(in);
    var seen = new HashSet<String>();
    while (in.nextField()) {
      in.requireFirst(seen);
      reader.readField();
    }
    in.end();
    return reader.build();
  }

  private void readField() {
    switch (in.field()) {
      case "rules" -> rules = Optional.of(in.text());
      case "replace" -> replace = in.optionalText();
      case "source" -> {
        if (in.next() != JsonToken.START_OBJECT) {
          throw in.bad("must be an object such as {\"kind\":\"recent\"}");
        }
        var seen = new HashSet<String>();
        while (in.nextMember()) {
          in.requireFirst(seen);
          readSource();
        }
      }
      default -> throw in.unknown(FIELDS);
    }
  }

  private void readSource() {
    switch (in.member()) {
      case "kind" -> {
        kind = in.text();
        if (!kind.equals("recent") && !kind.equals("log")) {
          throw in.bad("must be recent or log, got '%s'".formatted(TextSyntax.excerpt(kind)));
        }
      }
      case "text" -> text = in.optionalText();
      case "format" -> format = format(in.optionalText().orElse("auto"));
      case "key" -> key = in.optionalText().filter(given -> !given.isEmpty());
      default -> throw in.unknown(SOURCE_FIELDS);
    }
  }

  private AccessLog.Format format(String given) {
    for (var known : AccessLog.Format.values()) {
      if (known.name().toLowerCase(Locale.ROOT).equals(given)) return known;
    }
    throw in.bad(
        "must be auto, common, combined or json, got '%s'".formatted(TextSyntax.excerpt(given)));
  }

  private WhatIfRequest build() {
    if (rules.isEmpty()) {
      throw ProblemException.badInput(
          "rules", "is missing; send the text of a rule file, or of one rule");
    }
    Optional<Log> log = Optional.empty();
    if (kind.equals("log")) {
      if (text.isEmpty())
        throw ProblemException.badInput("source.text", "is missing; send lines of a log");
      log = Optional.of(new Log(text.get(), format, key));
    }
    return new WhatIfRequest(rules.get(), replace, log);
  }
}
