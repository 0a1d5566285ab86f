package io.headgate.redis.internal.home;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** The certificates that a region trusts for a home behind a service. */
final class HomeTls {
  /**
   * Returns a context that trusts the certificates of a file only.
   *
   * @throws IllegalArgumentException if the file can't be read or has no certificate
   */
  static SSLContext trusting(Path file) {
    try (InputStream in = Files.newInputStream(file)) {
      var trusted = KeyStore.getInstance(KeyStore.getDefaultType());
      trusted.load(null, null);
      for (var certificate : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
        trusted.setCertificateEntry("ca" + trusted.size(), certificate);
      }
      if (trusted.size() == 0) {
        throw new IllegalArgumentException("there is no PEM certificate in %s".formatted(file));
      }
      var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(trusted);
      var context = SSLContext.getInstance("TLS");
      context.init(null, trust.getTrustManagers(), null);
      return context;
    } catch (CertificateException e) {
      throw new IllegalArgumentException(
          "%s has no PEM certificates (%s)".formatted(file, e.getMessage()), e);
    } catch (IOException e) {
      throw new IllegalArgumentException("cannot read %s: %s".formatted(file, e.getMessage()), e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("TLS is not available", e);
    }
  }

  private HomeTls() {}
}
