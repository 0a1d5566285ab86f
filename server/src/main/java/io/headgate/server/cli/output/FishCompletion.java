package io.headgate.server.cli.output;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

/** Writes a script that completes commands and options in the fish shell. */
public final class FishCompletion {
  private final String program;
  private final StringBuilder script = new StringBuilder();

  private FishCompletion(String program) {
    this.program = program;
  }

  /**
   * Returns the script for a command with its subcommands, of which each may have one more level.
   */
  public static String of(String program, CommandLine root) {
    var completion = new FishCompletion(program);
    completion.add(root, List.of());
    return completion.script.toString();
  }

  private void add(CommandLine command, List<String> path) {
    var subcommands = command.getSubcommands();
    String here = condition(path, List.copyOf(subcommands.keySet()));
    for (var entry : subcommands.entrySet()) {
      line(here, "-f -a " + entry.getKey(), description(entry.getValue()));
    }
    for (var option : command.getCommandSpec().options()) {
      if (!option.hidden()) line(here, names(option), first(option.description()));
    }
    for (var entry : subcommands.entrySet()) {
      var longer = new ArrayList<>(path);
      longer.add(entry.getKey());
      add(entry.getValue(), longer);
    }
  }

  /** Returns the condition that the words of a path were typed, and none of the next words. */
  private static String condition(List<String> path, List<String> next) {
    var parts = new ArrayList<String>();
    for (var word : path) parts.add("__fish_seen_subcommand_from " + word);
    if (!next.isEmpty()) {
      parts.add("not __fish_seen_subcommand_from " + String.join(" ", next));
    }
    return String.join("; and ", parts);
  }

  private static String names(OptionSpec option) {
    var names = new StringBuilder();
    for (var name : option.names()) {
      names.append(name.startsWith("--") ? "-l " + name.substring(2) : "-s " + name.substring(1));
      names.append(' ');
    }
    // An option with a value takes the next word, which may be a file.
    return option.arity().max() == 0 ? names.toString().strip() : names + "-r -F";
  }

  private static String description(CommandLine command) {
    return first(command.getCommandSpec().usageMessage().description());
  }

  /** Returns the first sentence, which fish shows beside the word. */
  private static String first(String[] lines) {
    if (lines.length == 0) return "";
    int end = lines[0].indexOf(". ");
    String sentence = end < 0 ? lines[0] : lines[0].substring(0, end);
    return sentence.replaceAll("\\.$", "").replace("%%", "%").replace("\\", "").replace("'", "\\'");
  }

  private void line(String condition, String what, String description) {
    script.append(
        "complete -c %s -n '%s' %s -d '%s'%n".formatted(program, condition, what, description));
  }
}
