package io.headgate.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * One task of the cookbook: the section below a heading of the third level.
 *
 * @param rules the rule file
 * @param commands the {@code console} block that shows the effect
 */
record Recipe(String title, Markdown.Block rules, Markdown.Block commands) {
  private static final String HEADING = "### ";

  /** Returns the recipes of a page. Fails if a section lacks its rules or its commands. */
  static List<Recipe> of(Path page) {
    try {
      var lines = Files.readAllLines(page);
      var blocks = Markdown.read(page).blocks();
      var recipes = new ArrayList<Recipe>();
      for (int i = 0; i < lines.size(); i++) {
        if (!lines.get(i).startsWith(HEADING)) continue;
        int start = i;
        int end = i + 1;
        while (end < lines.size() && !lines.get(end).matches("##+ .*")) end++;
        int limit = end;
        var own = blocks.stream().filter(b -> b.line() > start && b.line() < limit).toList();
        recipes.add(of(lines.get(start).substring(HEADING.length()), own));
      }
      return recipes;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Recipe of(String title, List<Markdown.Block> blocks) {
    if (blocks.size() != 2
        || !blocks.getFirst().language().equals("yaml")
        || !ConsoleExample.isConsole(blocks.getLast())) {
      throw new AssertionError(
          "'%s' must have one yaml block and then one console block".formatted(title));
    }
    return new Recipe(title, blocks.getFirst(), blocks.getLast());
  }

  @Override
  public String toString() {
    return title;
  }
}
