package io.headgate.rulefile;

import io.headgate.rule.Rule;
import java.util.List;

/**
 * The result of importing a configuration of envoyproxy/ratelimit.
 *
 * @param notes the settings that were not imported or behave differently in Headgate
 */
public record EnvoyImport(List<Rule> rules, List<Note> notes) {
  /** Copies the lists. */
  public EnvoyImport {
    rules = List.copyOf(rules);
    notes = List.copyOf(notes);
  }

  /** Returns whether the rules admit requests that the configuration denies. */
  public boolean isLoosened() {
    return notes.stream().anyMatch(Note::loosens);
  }

  /**
   * A setting that was not imported, or that behaves differently.
   *
   * @param line from 1
   * @param path the field, such as {@code descriptors[0].rate_limit.replaces}
   * @param what the difference, in a few words
   * @param why the reason
   * @param advice the recommended action
   * @param loosens whether the rules may therefore admit what the configuration denies
   */
  public record Note(
      int line, String path, String what, String why, String advice, boolean loosens) {
    @Override
    public String toString() {
      return "%d: %s: %s%s: %s; %s"
          .formatted(line, path, loosens ? "loosened: " : "", what, why, advice);
    }
  }
}
