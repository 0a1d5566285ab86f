package io.headgate.server.simulation.accesslog;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** Numbers the fields to be read. */
final class FieldSlots {
  private final List<String> names = new ArrayList<>();

  /** Adds a field if necessary, and returns its number. */
  int require(String name) {
    int known = names.indexOf(name);
    if (known >= 0) return known;
    names.add(name);
    return names.size() - 1;
  }

  /** Returns the number of a field, or -1 if it is not required. */
  int find(String name) {
    return names.indexOf(name);
  }

  /** Returns the numbers of a field and of its aliases. */
  int[] all(String name) {
    var aliases = FieldNames.aliases(name);
    return IntStream.range(0, names.size())
        .filter(i -> names.get(i).equals(name) || aliases.contains(names.get(i)))
        .toArray();
  }

  List<String> names() {
    return List.copyOf(names);
  }

  int count() {
    return names.size();
  }
}
