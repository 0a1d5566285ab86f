package io.headgate.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * One command of a {@code console} block and the output below it. A line that begins with {@code $}
 * is a command, which continues on the next line after a backslash.
 *
 * @param lines the lines of the command on the page
 * @param output the output on the page, in which {@code …} stands for text that varies
 */
record ConsoleExample(List<String> lines, String output) {
  private static final String PROMPT = "$ ";

  static boolean isConsole(Markdown.Block block) {
    return block.language().equals("console");
  }

  static List<ConsoleExample> of(Markdown.Block block) {
    var examples = new ArrayList<ConsoleExample>();
    var lines = block.text().lines().toList();
    for (int i = 0; i < lines.size(); ) {
      assertThat(lines.get(i)).as("%s", block).startsWith(PROMPT);
      int start = i;
      while (lines.get(i).endsWith("\\")) i++;
      int end = ++i;
      while (i < lines.size() && !lines.get(i).startsWith(PROMPT)) i++;
      examples.add(
          new ConsoleExample(
              lines.subList(start, end), String.join("\n", lines.subList(end, i)).strip()));
    }
    return examples;
  }

  /** Returns the command on one line, without the prompt. */
  String command() {
    return lines.stream()
        .map(line -> line.replaceFirst("\\\\$", "").strip())
        .collect(Collectors.joining(" "))
        .substring(PROMPT.length());
  }

  /** Returns the pattern that the whole output matches. */
  Pattern expected() {
    return Pattern.compile(
        output
            .lines()
            .map(line ->
                List.of(line.split("…", -1)).stream()
                    .map(Pattern::quote)
                    .collect(Collectors.joining(".*")))
            .collect(Collectors.joining("\n")),
        Pattern.DOTALL);
  }
}
