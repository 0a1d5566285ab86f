package io.headgate.server.cli;

import io.headgate.server.cli.options.Configuration;
import io.headgate.server.cli.output.CommandFailure;
import java.util.Optional;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * Prevents sending a token to a service that the user did not choose.
 *
 * <p>{@code headgate.yaml} is read from the current directory, which may be a checkout of an
 * untrusted repository or writable by other users. Its {@code url} receives only a token of the
 * same file, and its {@code ca} vouches for none but that. A token of the environment or the
 * command line is sent to a URL of the environment or the command line, to the default URL, or to
 * one from a file that {@code --config} names. Loopback addresses are no exception, since other
 * users of the machine can listen on them.
 */
final class TokenDestination {
  private static final String URL = "--url";
  private static final String CA = "--ca";
  private static final String TOKEN = "--token";

  /**
   * Checks the URL, the CA and the token of a parsed command.
   *
   * @throws CommandFailure if the token must not be sent to the URL
   */
  static void check(Configuration configuration, ParseResult parsed) {
    var spec = parsed.commandSpec();
    var url = spec.findOption(URL);
    var ca = spec.findOption(CA);
    var token = spec.findOption(TOKEN);
    if (url == null || ca == null || token == null) return;
    boolean given = parsed.hasMatchedOption(TOKEN);
    if (!given && (!isPresent(token.getValue()) || configuration.isFromFoundFile(token))) return;
    String origin = given ? TOKEN : configuration.origin(token).orElse("the environment");
    if (isChosenByFoundFile(configuration, parsed, ca)) {
      throw new CommandFailure(
          """
          the token from %s is not sent to a service that is trusted by %s: a file found in the \
          current directory must not choose its recipient. Name the certificates with --ca or \
          HEADGATE_CA, or the file with --config\
          """
              .formatted(origin, configuration.origin(ca).orElse(CA)));
    }
    if (!isChosenByFoundFile(configuration, parsed, url)) return;
    if (url.<Object>getValue().equals(url.defaultValue())) return;
    throw new CommandFailure(
        """
        the token from %s is not sent to %s, the %s: a file found in the current directory must \
        not choose its recipient. Name the service with --url or HEADGATE_URL, or the file with \
        --config, or write the token into the file\
        """
            .formatted(
                origin,
                ServiceClient.redacted(url.<String>getValue()),
                configuration.origin(url).orElse("url in " + Configuration.DEFAULT_FILE)));
  }

  private static boolean isChosenByFoundFile(
      Configuration configuration, ParseResult parsed, OptionSpec option) {
    return configuration.isFromFoundFile(option) && !parsed.hasMatchedOption(option.longestName());
  }

  private static boolean isPresent(Object value) {
    return value instanceof Optional<?> optional && optional.isPresent();
  }

  private TokenDestination() {}
}
