package io.headgate.server.cli;

import io.headgate.server.cli.options.Configuration;
import io.headgate.server.cli.output.CommandFailure;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * Refuses to send a token to an address that the user did not choose.
 *
 * <p>{@code headgate.yaml} is read from the current directory, which may be a checkout of a
 * stranger's repository or a directory that other users can write. Its {@code url} may receive the
 * token of the same file. A token of the environment or the command line goes to an address from
 * there too, to the default address, or to one from a file that {@code --config} names. An address
 * of this machine is no exception: other users can listen on it.
 */
final class TokenDestination {
  private static final String URL = "--url";
  private static final String TOKEN = "--token";

  static void check(Configuration configuration, ParseResult parsed) {
    var last = parsed;
    while (last.hasSubcommand()) last = last.subcommand();
    CommandSpec spec = last.commandSpec();
    var url = spec.findOption(URL);
    var token = spec.findOption(TOKEN);
    if (url == null || token == null) return;
    if (!configuration.isFromFoundFile(url) || last.hasMatchedOption(URL)) return;
    boolean given = last.hasMatchedOption(TOKEN);
    if (!given && (!isPresent(token.getValue()) || configuration.isFromFoundFile(token))) return;
    if (url.<Object>getValue().equals(url.defaultValue())) return;
    throw new CommandFailure(
        """
        the token from %s is not sent to %s, the %s: a file that lies in the current directory \
        does not choose who receives it. Name the service with --url or HEADGATE_URL, or the file \
        with --config, or write the token into the file\
        """
            .formatted(
                given ? TOKEN : configuration.origin(token).orElse("the environment"),
                ServiceClient.shown(url.<String>getValue()),
                configuration.origin(url).orElse("url in " + Configuration.DEFAULT_FILE)));
  }

  private static boolean isPresent(Object value) {
    return value instanceof Optional<?> optional && optional.isPresent();
  }

  private TokenDestination() {}
}
