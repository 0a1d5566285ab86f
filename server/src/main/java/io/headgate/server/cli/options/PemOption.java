package io.headgate.server.cli.options;

import io.headgate.server.cli.output.CommandFailure;
import io.headgate.server.cli.output.SystemErrorText;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;

/** Checks the files of certificates that options name. */
final class PemOption {
  /**
   * Returns the file after checking that it contains certificates. Without this check a wrong file
   * would appear as a server that is unavailable.
   *
   * @param option the name of the option
   * @param address the option with the address of the server
   * @param tls how the address has to begin; empty if it does
   * @throws CommandFailure if it can't be used
   */
  static Path requireCertificates(String option, String address, Path file, String tls) {
    if (!tls.isEmpty()) {
      throw new CommandFailure(
          "%s needs TLS, which this %s does not use; begin it with %s"
              .formatted(option, address, tls));
    }
    try (InputStream in = Files.newInputStream(file)) {
      if (!CertificateFactory.getInstance("X.509").generateCertificates(in).isEmpty()) return file;
      throw new CommandFailure("%s: there is no certificate in %s".formatted(option, file));
    } catch (IOException e) {
      throw new CommandFailure(
          "cannot read %s: %s: %s".formatted(option, file, SystemErrorText.of(e)));
    } catch (CertificateException e) {
      throw new CommandFailure(
          "%s: %s has no PEM certificates (%s)".formatted(option, file, e.getMessage()));
    }
  }

  private PemOption() {}
}
