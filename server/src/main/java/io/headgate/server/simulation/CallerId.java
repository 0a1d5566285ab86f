package io.headgate.server.simulation;

import io.headgate.rule.Subject;
import java.util.List;

/**
 * Derives the name of a caller from attributes that identify it, as opposed to those that describe
 * the request.
 */
public final class CallerId {
  private static final List<String> NAMES = List.of("user", "ip", "client", "tenant");

  /** Returns the bare key or, if there is none, a text such as {@code user=42}. */
  public static String of(Subject subject) {
    var key = subject.attribute(Subject.KEY);
    if (key.isPresent()) return key.get();
    for (var name : NAMES) {
      var value = subject.attribute(name);
      if (value.isPresent()) return name + "=" + value.get();
    }
    return subject.toString();
  }

  /** Returns a hash that is equal for equal callers, without creating the name. */
  static int hash(Subject subject) {
    var key = subject.attribute(Subject.KEY);
    if (key.isPresent()) return key.get().hashCode();
    for (int i = 0; i < NAMES.size(); i++) {
      var value = subject.attribute(NAMES.get(i));
      if (value.isPresent()) return 31 * value.get().hashCode() + i + 1;
    }
    return subject.hashCode();
  }

  private CallerId() {}
}
