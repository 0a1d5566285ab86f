package io.headgate.rulefile;

import io.headgate.rule.Rule;
import java.util.List;

/**
 * What a configuration of envoyproxy/ratelimit comes to here.
 *
 * @param notes what could not be carried over, or means something else here
 */
public record EnvoyImport(List<Rule> rules, List<Note> notes) {
  public EnvoyImport {
    rules = List.copyOf(rules);
    notes = List.copyOf(notes);
  }

  /**
   * One thing that is not as it was.
   *
   * @param line from 1
   * @param path the field, such as {@code descriptors[0].rate_limit.replaces}
   * @param what in a few words
   * @param why what is different here
   * @param advice what to do about it
   */
  public record Note(int line, String path, String what, String why, String advice) {
    @Override
    public String toString() {
      return "%d: %s: %s: %s; %s".formatted(line, path, what, why, advice);
    }
  }
}
