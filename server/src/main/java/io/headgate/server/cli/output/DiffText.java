package io.headgate.server.cli.output;

import java.util.List;
import java.util.StringJoiner;

/** Prints differences between rules, in colours if they are on. */
public record DiffText(CommandContext context) {
  private static final String NONE = "(none)";

  /** Prints the changed rules with their fields, and the moved rules. */
  public void print(JsonReply diff) {
    for (var change : diff.at("changes").items()) {
      String id = change.at("id").text();
      String kind = change.at("change").text();
      context.out().println(inColour(kind, sign(kind) + id));
      for (var field : change.at("fields").items())
        context.out().println("    " + field(kind, field));
    }
    for (var move : diff.at("moves").items()) {
      String after = move.at("after").text();
      String where = after.isEmpty() ? " moved to the top" : " moved after " + after;
      context.out().println(context.warning("> " + move.at("id").text() + where));
    }
    long more = diff.at("more").number();
    if (more > 0) context.out().printf("… and %d more%n", more);
  }

  private static String sign(String kind) {
    return switch (kind) {
      case "added" -> "+ ";
      case "removed" -> "- ";
      default -> "~ ";
    };
  }

  private String inColour(String kind, String text) {
    return switch (kind) {
      case "added" -> context.good(text);
      case "removed" -> context.bad(text);
      default -> context.warning(text);
    };
  }

  /** Returns the change of one field on one line. */
  public String field(String kind, JsonReply field) {
    String name = field.at("field").text() + ": ";
    String before = value(field.at("before"));
    String after = value(field.at("after"));
    return switch (kind) {
      case "added" -> context.good(name + after);
      case "removed" -> context.bad(name + before);
      default -> name + context.bad(before) + " → " + context.good(after);
    };
  }

  private static String value(JsonReply value) {
    return value.isPresent() ? value.text() : NONE;
  }

  /** Returns the numbers of changes: {@code 1 added, 2 changed}. */
  public static String summary(JsonReply diff) {
    var parts = new StringJoiner(", ");
    for (var kind : List.of("added", "changed", "removed", "moved")) {
      long count = diff.at(kind).number();
      if (count > 0) parts.add(count + " " + kind);
    }
    return parts.length() == 0 ? "nothing changed" : parts.toString();
  }

  /** Returns whether there are no changes and no moves. */
  public static boolean isEmpty(JsonReply diff) {
    return diff.at("changes").items().isEmpty() && diff.at("moves").items().isEmpty();
  }
}
