package io.headgate.server.cli;

import io.headgate.server.cli.options.Configuration;
import io.headgate.server.cli.output.CommandFailure;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * Prevents sending a token to a URL that the user did not choose.
 *
 * <p>{@code headgate.yaml} is read from the current directory, which may be a checkout of an
 * untrusted repository or writable by other users. Its {@code url} receives only a token of the
 * same file. A token of the environment or the command line is sent to a URL of the environment or
 * the command line, to the default URL, or to one from a file that {@code --config} names. Loopback
 * addresses are no exception, since other users of the machine can listen on them.
 */
final class TokenDestination {
  private static final String URL = "--url";
  private static final String TOKEN = "--token";

  /**
   * Checks the URL and the token of a parsed command.
   *
   * @throws CommandFailure if the token must not be sent to the URL
   */
  static void check(Configuration configuration, ParseResult parsed) {
    CommandSpec spec = parsed.commandSpec();
    var url = spec.findOption(URL);
    var token = spec.findOption(TOKEN);
    if (url == null || token == null) return;
    if (!configuration.isFromFoundFile(url) || parsed.hasMatchedOption(URL)) return;
    boolean given = parsed.hasMatchedOption(TOKEN);
    if (!given && (!isPresent(token.getValue()) || configuration.isFromFoundFile(token))) return;
    if (url.<Object>getValue().equals(url.defaultValue())) return;
    throw new CommandFailure(
        """
        the token from %s is not sent to %s, the %s: a file found in the current directory must \
        not choose its recipient. Name the service with --url or HEADGATE_URL, or the file with \
        --config, or write the token into the file\
        """
            .formatted(
                given ? TOKEN : configuration.origin(token).orElse("the environment"),
                ServiceClient.redacted(url.<String>getValue()),
                configuration.origin(url).orElse("url in " + Configuration.DEFAULT_FILE)));
  }

  private static boolean isPresent(Object value) {
    return value instanceof Optional<?> optional && optional.isPresent();
  }

  private TokenDestination() {}
}
