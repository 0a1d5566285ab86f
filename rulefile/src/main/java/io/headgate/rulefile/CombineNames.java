package io.headgate.rulefile;

import io.headgate.rule.Combine;
import java.util.List;

/** Converts between {@link Combine} values and their names in rule files. */
final class CombineNames {
  static final int DEFAULT_PERMILLE = 500;

  /** All names, in the order in which messages list them. */
  static final List<String> NAMES = List.of("all", "any", "weighted", "hierarchical", "priority");

  /** Returns the name of a combination. */
  static String text(Combine combine) {
    return switch (combine) {
      case Combine.All all -> "all";
      case Combine.Any any -> "any";
      case Combine.Weighted weighted -> "weighted";
      case Combine.Hierarchical hierarchical -> "hierarchical";
      case Combine.Priority priority -> "priority";
    };
  }

  /**
   * Returns the combination of that name; {@code weighted} gets the default threshold.
   *
   * @throws IllegalArgumentException if there is no such combination
   */
  static Combine parse(String text) {
    return switch (text) {
      case "all" -> new Combine.All();
      case "any" -> new Combine.Any();
      case "weighted" -> new Combine.Weighted(DEFAULT_PERMILLE);
      case "hierarchical" -> new Combine.Hierarchical();
      case "priority" -> new Combine.Priority();
      default -> throw EnumNames.unknown(text, NAMES);
    };
  }

  /**
   * Parses the threshold of a weighted combination, such as {@code 0.6} or {@code 60%}.
   *
   * @throws IllegalArgumentException if the text is not a share, or finer than 0.001
   */
  static Combine.Weighted threshold(String text) {
    return new Combine.Weighted(ShareSyntax.permille("thresholds", text));
  }

  private CombineNames() {}
}
