package io.headgate.server.cli.output;

import java.util.List;
import java.util.StringJoiner;

/** Shows what changes, in colours where they are seen. */
public record DiffText(CommandContext around) {
  private static final String NONE = "(none)";

  public void print(JsonReply diff) {
    for (var change : diff.at("changes").items()) {
      String id = change.at("id").text();
      String kind = change.at("change").text();
      around.out().println(painted(kind, sign(kind) + id));
      for (var field : change.at("fields").items())
        around.out().println("    " + field(kind, field));
    }
    for (var move : diff.at("moves").items()) {
      String after = move.at("after").text();
      String where = after.isEmpty() ? " moved to the top" : " moved after " + after;
      around.out().println(around.remarkable("> " + move.at("id").text() + where));
    }
    long more = diff.at("more").number();
    if (more > 0) around.out().printf("… and %d more%n", more);
  }

  private static String sign(String kind) {
    return switch (kind) {
      case "added" -> "+ ";
      case "removed" -> "- ";
      default -> "~ ";
    };
  }

  private String painted(String kind, String text) {
    return switch (kind) {
      case "added" -> around.good(text);
      case "removed" -> around.bad(text);
      default -> around.remarkable(text);
    };
  }

  /** One field on one line. */
  public String field(String kind, JsonReply field) {
    String name = field.at("field").text() + ": ";
    String before = value(field.at("before"));
    String after = value(field.at("after"));
    return switch (kind) {
      case "added" -> around.good(name + after);
      case "removed" -> around.bad(name + before);
      default -> name + around.bad(before) + " → " + around.good(after);
    };
  }

  private static String value(JsonReply value) {
    return value.isThere() ? value.text() : NONE;
  }

  /** How much it is: {@code 1 added, 2 changed}. */
  public static String summary(JsonReply diff) {
    var parts = new StringJoiner(", ");
    for (var kind : List.of("added", "changed", "removed", "moved")) {
      long count = diff.at(kind).number();
      if (count > 0) parts.add(count + " " + kind);
    }
    return parts.length() == 0 ? "nothing changed" : parts.toString();
  }

  public static boolean isEmpty(JsonReply diff) {
    return diff.at("changes").items().isEmpty() && diff.at("moves").items().isEmpty();
  }
}
