package io.headgate.server.simulation.accesslog;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/** The fields that somebody wants to know, each with its number. */
final class FieldSlots {
  private final List<String> names = new ArrayList<>();

  /** Its number from now on. */
  int wanting(String name) {
    int known = names.indexOf(name);
    if (known >= 0) return known;
    names.add(name);
    return names.size() - 1;
  }

  /** Its number; -1 if nobody wants it. */
  int find(String name) {
    return names.indexOf(name);
  }

  /** The numbers of the field, by this name and by others that it has. */
  int[] all(String name) {
    var others = FieldNames.othersOf(name);
    return IntStream.range(0, names.size())
        .filter(i -> names.get(i).equals(name) || others.contains(names.get(i)))
        .toArray();
  }

  List<String> names() {
    return List.copyOf(names);
  }

  int count() {
    return names.size();
  }
}
