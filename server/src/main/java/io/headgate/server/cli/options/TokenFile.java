package io.headgate.server.cli.options;

import io.headgate.server.api.TokenSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Reads token files: {@code role token [name]} on each line. Messages never quote a line. */
final class TokenFile {
  private static final int MAX_NAME_LENGTH = 64;

  /**
   * Reads the tokens of a file; empty lines and lines that begin with # are ignored.
   *
   * @throws IllegalArgumentException if a line is not valid
   */
  static TokenSet read(Path file) throws IOException {
    var tokens = TokenSet.NONE;
    List<String> lines = Files.readAllLines(file);
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i).strip();
      if (line.isEmpty() || line.startsWith("#")) continue;
      try {
        tokens = tokens.and(parseLine(line));
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException("%s:%d: %s".formatted(file, i + 1, e.getMessage()), e);
      }
    }
    return tokens;
  }

  private static TokenSet parseLine(String line) {
    var parts = line.split("\\s+", 3);
    if (parts.length < 2) {
      throw new IllegalArgumentException(
          "a line must have a role, a token and, optionally, a name");
    }
    String name = parts.length == 3 ? parts[2] : "";
    if (!name.matches("[\\p{L}\\p{N} ._@-]{0,%d}".formatted(MAX_NAME_LENGTH))) {
      throw new IllegalArgumentException(
          "a name may have up to %d letters, digits, spaces and . _ @ -"
              .formatted(MAX_NAME_LENGTH));
    }
    var token =
        switch (parts[0]) {
          case "admin" -> TokenSet.NONE.withAdmin(parts[1], name);
          case "read" -> TokenSet.NONE.withRead(parts[1], name);
          case "check" -> TokenSet.NONE.withCheck(parts[1], name);
          case "usage" -> TokenSet.NONE.withUsage(parts[1], name);
          case "lease" -> TokenSet.NONE.withLease(parts[1], name);
          case "signal" -> TokenSet.NONE.withSignal(parts[1], name);
          case "region" -> TokenSet.NONE.withRegion(parts[1], name);
          default ->
              throw new IllegalArgumentException(
                  "the role must be admin, read, signal, region, check, usage or lease");
        };
    TokenSet.requireMinLength(parts[0], parts[1]);
    return token;
  }

  private TokenFile() {}
}
