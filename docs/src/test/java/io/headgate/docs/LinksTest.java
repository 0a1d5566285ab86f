package io.headgate.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LinksTest {
  private static final Pattern LINK = Pattern.compile("]\\(([^)#\\s]+)[^)]*\\)");

  static List<Markdown> pages() {
    return Markdown.pages();
  }

  @ParameterizedTest
  @MethodSource("pages")
  void linkWithinTheRepositoryHasATarget(Markdown page) throws IOException {
    var links = LINK.matcher(Files.readString(page.file()));
    while (links.find()) {
      String target = links.group(1);
      if (target.startsWith("http")) continue;
      assertThat(page.file().resolveSibling(target)).as("in %s", page.file()).exists();
    }
  }

  @Test
  void readmeHasAtMost150Lines() throws IOException {
    assertThat(Files.readAllLines(Markdown.ROOT.resolve("README.md")))
        .hasSizeLessThanOrEqualTo(150);
  }
}
