package io.headgate.testkit.net;

import io.headgate.testkit.ScratchDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.UUID;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * A new certificate for 127.0.0.1 and localhost, with its key: self-signed, or of a new CA. Closing
 * it deletes the files.
 */
public final class TestCertificates implements AutoCloseable {
  private static final String ALIAS = "test";
  private static final String SUBJECT = "CN=localhost";

  private final ScratchDirectory directory = ScratchDirectory.create("headgate-certificates-");
  private final char[] password = UUID.randomUUID().toString().toCharArray();
  private final PrivateKey privateKey;
  private final X509Certificate[] chain;

  /**
   * @param chain the certificate of the key first, then that of the CA if it has another
   */
  private TestCertificates(PrivateKey privateKey, X509Certificate... chain) {
    this.privateKey = privateKey;
    this.chain = chain;
    try {
      Files.writeString(certificate(), pem("CERTIFICATE", chain[0].getEncoded()));
      Files.writeString(issuer(), pem("CERTIFICATE", chain[chain.length - 1].getEncoded()));
      Files.writeString(key(), pem("PRIVATE KEY", privateKey.getEncoded()));
    } catch (IOException e) {
      directory.close();
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      directory.close();
      throw new IllegalStateException("cannot encode the certificate", e);
    }
  }

  /** Generates a key and a self-signed certificate. */
  public static TestCertificates create() {
    try {
      var keys = newKeys();
      var certificate = new X509CertificateWriter(SUBJECT, keys).selfSigned();
      return new TestCertificates(keys.getPrivate(), certificate);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("cannot create a certificate", e);
    }
  }

  /** Generates a key and a certificate of a CA, valid from so many days after now for 30 days. */
  public static TestCertificates ofIssuer(int validFrom) {
    try {
      var keys = newKeys();
      var issuer = new X509CertificateWriter("CN=issuer", newKeys());
      var from = Instant.now().plus(Duration.ofDays(validFrom));
      var certificate = issuer.sign(SUBJECT, keys.getPublic(), from);
      return new TestCertificates(keys.getPrivate(), certificate, issuer.selfSigned());
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("cannot create a certificate", e);
    }
  }

  private static KeyPair newKeys() throws GeneralSecurityException {
    var generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    return generator.generateKeyPair();
  }

  /** Returns the certificate as PEM, for the server to present and the client to trust. */
  public Path certificate() {
    return directory.resolve("certificate.pem");
  }

  /** Returns the certificate of the CA as PEM; that of the server if it is self-signed. */
  public Path issuer() {
    return directory.resolve("issuer.pem");
  }

  /** Returns the private key as PEM (PKCS#8, no password). */
  public Path key() {
    return directory.resolve("key.pem");
  }

  /** Returns the TLS context of a client that trusts this certificate only. */
  public SSLContext trusting() {
    return context(null);
  }

  /** Returns the TLS context of a client that trusts this certificate and presents another. */
  public SSLContext trusting(TestCertificates client) {
    try {
      var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(client.store(), client.password);
      return context(keys.getKeyManagers());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("cannot use the generated key", e);
    }
  }

  private SSLContext context(KeyManager @Nullable [] keys) {
    try {
      var trusted = KeyStore.getInstance("PKCS12");
      trusted.load(null, null);
      trusted.setCertificateEntry(ALIAS, chain[0]);
      var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(trusted);
      var context = SSLContext.getInstance("TLS");
      context.init(keys, trust.getTrustManagers(), null);
      return context;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("cannot trust the generated certificate", e);
    }
  }

  @Override
  public void close() {
    directory.close();
  }

  private KeyStore store() throws IOException, GeneralSecurityException {
    var store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    store.setKeyEntry(ALIAS, privateKey, password, chain);
    return store;
  }

  private static String pem(String label, byte[] content) {
    var lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(label, lines, label);
  }
}
