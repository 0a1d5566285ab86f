package io.headgate.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** A page of the documentation, with its fenced blocks. */
record Markdown(Path file, List<Block> blocks) {
  /** One fenced block. */
  record Block(Path file, int line, String language, String text) {
    @Override
    public String toString() {
      return ROOT.relativize(file) + ":" + line;
    }
  }

  static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

  /** Returns the pages in the root directory and below {@code docs}. */
  static List<Markdown> pages() {
    try (var below = Files.walk(ROOT.resolve("docs"))) {
      var pages = below.filter(file -> file.toString().endsWith(".md")).sorted();
      var top =
          Stream.of("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")
              .map(ROOT::resolve);
      return Stream.concat(top, pages).map(Markdown::read).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static List<Block> blocks(String language) {
    return pages().stream()
        .flatMap(page -> page.blocks.stream())
        .filter(block -> block.language.equals(language))
        .toList();
  }

  static Markdown read(Path file) {
    try {
      return new Markdown(file, blocks(file, Files.readAllLines(file)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static List<Block> blocks(Path file, List<String> lines) {
    var blocks = new ArrayList<Block>();
    for (int i = 0; i < lines.size(); i++) {
      if (!lines.get(i).startsWith("```")) continue;
      String language = lines.get(i).substring(3).strip();
      int start = i + 1;
      for (i++; !lines.get(i).startsWith("```"); ) i++;
      blocks.add(new Block(file, start, language, String.join("\n", lines.subList(start, i))));
    }
    return blocks;
  }
}
