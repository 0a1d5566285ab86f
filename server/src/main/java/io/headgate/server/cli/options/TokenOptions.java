package io.headgate.server.cli.options;

import io.headgate.server.api.AccessControl;
import io.headgate.server.api.TokenSet;
import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.SystemErrorText;
import io.headgate.server.files.FileWatcher;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Option;

/** Options of access tokens. */
public final class TokenOptions {
  private static final Duration POLL_INTERVAL = Duration.ofSeconds(1);

  @Option(
      names = "--admin-token",
      paramLabel = "TOKEN",
      split = ",",
      description =
          "A token for administrators, sent as Authorization: Bearer TOKEN; may be repeated"
              + " or be a comma-separated list. Default: none")
  private List<String> admin = List.of();

  @Option(
      names = "--read-token",
      paramLabel = "TOKEN",
      split = ",",
      description =
          "A token for reading rules and statistics. Default: none, reading needs an admin"
              + " token if any token is set")
  private List<String> read = List.of();

  @Option(
      names = "--check-token",
      paramLabel = "TOKEN",
      split = ",",
      description = "A token for checks. Default: none, checks need no token")
  private List<String> check = List.of();

  @Option(
      names = "--usage-token",
      paramLabel = "TOKEN",
      split = ",",
      description =
          "A token for checks and for reporting usage, which a check token then does not permit."
              + " Default: none, a check token reports usage")
  private List<String> usage = List.of();

  @Option(
      names = "--lease-token",
      paramLabel = "TOKEN",
      split = ",",
      description =
          "A token for checks and for leases of clients, which a check token then does not permit."
              + " Default: none, a check token leases")
  private List<String> lease = List.of();

  @Option(
      names = "--signal-token",
      paramLabel = "TOKEN",
      split = ",",
      description =
          "A token for reporting the load of backends. Default: none, reporting needs an admin"
              + " token if any token is set")
  private List<String> signal = List.of();

  @Option(
      names = "--region-token",
      paramLabel = "TOKEN",
      split = ",",
      description =
          "A token for instances of other regions whose --home is this service. Default: none,"
              + " they need an admin token if any token is set")
  private List<String> region = List.of();

  @Option(
      names = "--token-file",
      paramLabel = "FILE",
      description =
          "A file with more tokens, one on each line: role (admin, read, signal, region, check,"
              + " usage or lease), token and, optionally, a name; reloaded when it changes."
              + " Default: none")
  private Optional<Path> file = Optional.empty();

  /**
   * Returns the access control with all tokens of the options and the token file.
   *
   * @throws CommandFailure if the file can't be read or a token is not valid
   */
  public AccessControl access(Path directory) {
    try {
      return new AccessControl(all(directory));
    } catch (IOException e) {
      throw new CommandFailure("cannot read --token-file: %s".formatted(SystemErrorText.of(e)));
    } catch (IllegalArgumentException e) {
      throw CommandFailure.of(e);
    }
  }

  /** Watches the token file, if there is one, and replaces the tokens when it changes. */
  public Optional<FileWatcher> watch(Path directory, AccessControl access) {
    if (file.isEmpty()) return Optional.empty();
    var path = directory.resolve(file.get());
    try {
      return Optional.of(
          FileWatcher.watch(
              "the token file", List.of(path), POLL_INTERVAL, () -> replace(directory, access)));
    } catch (IOException e) {
      throw new CommandFailure("cannot read --token-file: %s".formatted(SystemErrorText.of(e)));
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
    for (var token : usage) tokens = tokens.withUsage(token, "");
    for (var token : lease) tokens = tokens.withLease(token, "");
    for (var token : signal) tokens = tokens.withSignal(token, "");
    for (var token : region) tokens = tokens.withRegion(token, "");
    for (var token : admin) TokenSet.requireMinLength("admin", token);
    for (var token : read) TokenSet.requireMinLength("read", token);
    for (var token : check) TokenSet.requireMinLength("check", token);
    for (var token : usage) TokenSet.requireMinLength("usage", token);
    for (var token : lease) TokenSet.requireMinLength("lease", token);
    for (var token : signal) TokenSet.requireMinLength("signal", token);
    for (var token : region) TokenSet.requireMinLength("region", token);
    return file.isEmpty() ? tokens : tokens.and(TokenFile.read(directory.resolve(file.get())));
  }
}
