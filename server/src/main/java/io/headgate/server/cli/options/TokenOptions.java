package io.headgate.server.cli.options;

import io.headgate.server.api.AccessControl;
import io.headgate.server.api.TokenSet;
import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.files.FileWatcher;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Option;

/** What callers must show. */
public final class TokenOptions {
  private static final Duration LOOK_EVERY = Duration.ofSeconds(1);

  @Option(
      names = "--admin-token",
      paramLabel = "TOKEN",
      split = ",",
      description =
          "What administrators must show, as Authorization: Bearer TOKEN; may be given several"
              + " times, or with commas. Default: none")
  private List<String> admin = List.of();

  @Option(
      names = "--read-token",
      paramLabel = "TOKEN",
      split = ",",
      description =
          "What those must show who read rules and figures and change nothing. Default: none, it"
              + " takes an admin token as soon as there is any token")
  private List<String> read = List.of();

  @Option(
      names = "--check-token",
      paramLabel = "TOKEN",
      split = ",",
      description = "What callers must show to check. Default: none, anybody may")
  private List<String> check = List.of();

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description =
          "More tokens, a line for each: role (admin, read or check), token and, if you like, a"
              + " name; read again when the file changes. Default: none")
  private Optional<Path> file = Optional.empty();

  /** Who may do what from the start. */
  public AccessControl access(Path directory) {
    try {
      return new AccessControl(all(directory));
    } catch (IOException e) {
      throw new CommandFailure("--token-file can't be read: %s".formatted(e));
    } catch (IllegalArgumentException e) {
      throw CommandFailure.of(e);
    }
  }

  /** Keeps it up to date with the file, if there is one. */
  public Optional<FileWatcher> follow(Path directory, AccessControl access) {
    if (file.isEmpty()) return Optional.empty();
    var path = directory.resolve(file.get());
    try {
      return Optional.of(
          FileWatcher.follow(
              "the token file", List.of(path), LOOK_EVERY, () -> replace(directory, access)));
    } catch (IOException e) {
      throw new CommandFailure("--token-file can't be read: %s".formatted(e));
    }
  }

  private void replace(Path directory, AccessControl access) throws IOException {
    Logger log = LoggerFactory.getLogger(TokenOptions.class);
    var tokens = all(directory);
    access.replace(tokens);
    log.info("tokens: {}", tokens);
  }

  private TokenSet all(Path directory) throws IOException {
    var tokens = TokenSet.NONE;
    for (var token : admin) tokens = tokens.withAdmin(token, "");
    for (var token : read) tokens = tokens.withRead(token, "");
    for (var token : check) tokens = tokens.withCheck(token, "");
    for (var token : admin) TokenSet.requireLong("admin", token);
    for (var token : read) TokenSet.requireLong("read", token);
    for (var token : check) TokenSet.requireLong("check", token);
    return file.isEmpty() ? tokens : tokens.and(TokenFile.read(directory.resolve(file.get())));
  }
}
