package io.headgate.benchmarks;

import java.util.Locale;

/** A part of the report, named as on the command line. */
enum Section {
  HOT_KEY("One hot key"),
  MANY_KEYS("A million keys"),
  MEMORY("Memory"),
  ALGORITHMS("Algorithms"),
  RULES("Many rules"),
  LOADING("Loading rules"),
  HTTP("HTTP"),
  REDIS("Redis"),
  ACCURACY("Accuracy");

  final String title;

  Section(String title) {
    this.title = title;
  }

  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static Section labelled(String label) {
    for (var section : values()) if (section.label().equals(label)) return section;
    throw new IllegalArgumentException("there is no section '%s'".formatted(label));
  }

  /** Measures, and tells in Markdown. */
  String report(BenchmarkContext lab) throws Exception {
    return switch (this) {
      case HOT_KEY -> HotKey.report(lab);
      case MANY_KEYS -> ManyKeys.report(lab);
      case MEMORY -> Memory.report(lab);
      case ALGORITHMS -> Algorithms.report(lab);
      case RULES -> Rules.report(lab);
      case LOADING -> Loading.report(lab);
      case HTTP -> Http.report(lab);
      case REDIS -> Redis.report(lab);
      case ACCURACY -> Accuracy.report(lab);
    };
  }
}
