package io.headgate.server.cli.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TokenFileTest {
  @TempDir Path folder;

  private Path written(String text) throws IOException {
    return Files.writeString(folder.resolve("tokens"), text);
  }

  @Test
  void eachLineHasRoleTokenAndOptionalName() throws IOException {
    var file =
        written(
            """
            # ours

            admin s3cret-1-of-the-test Anna Blume
              check\ts3cret-2-of-the-test
            read s3cret-3-of-the-test board
            """);
    assertThat(TokenFile.read(file)).hasToString("1 admin (Anna Blume), 1 read (board), 1 check");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "owner s3cret         | the role must be admin, read, signal, region, check, usage or lease",
        "s3cret               | a line must have a role, a token and, optionally, a name",
        "admin s3crét         | admin-token must be one or more visible ASCII characters without"
            + " spaces",
        "admin s3cret         | admin-token has 6 characters and could be guessed; it must have at"
            + " least 16. Make one with: openssl rand -hex 32",
        "admin s3cret a;b     | a name may have up to 64 letters, digits, spaces and . _ @ -",
      })
  void invalidLineIsLocatedAndNotPrinted(String line, String why) throws IOException {
    var file = written("check good-and-long-enough\n" + line + "\n");
    assertThatThrownBy(() -> TokenFile.read(file))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(file + ":2: " + why)
        .hasMessageNotContaining("s3cr");
  }
}
