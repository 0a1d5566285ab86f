package io.headgate.testkit.net;

import io.headgate.testkit.ScratchDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.UUID;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * A new self-signed certificate for 127.0.0.1 and localhost, with its key. Closing it deletes the
 * files.
 */
public final class TestCertificates implements AutoCloseable {
  private static final String ALIAS = "test";

  private final ScratchDirectory directory = ScratchDirectory.create("headgate-certificates-");
  private final String password = UUID.randomUUID().toString();

  private TestCertificates() {}

  /** Generates a key and certificate. */
  public static TestCertificates create() {
    var certificates = new TestCertificates();
    try {
      certificates.generate();
      certificates.writePem();
      return certificates;
    } catch (IOException e) {
      certificates.close();
      throw new UncheckedIOException(e);
    } catch (GeneralSecurityException e) {
      certificates.close();
      throw new IllegalStateException("cannot read the key store that keytool created", e);
    }
  }

  /** Returns the certificate as PEM, for the server to present and the client to trust. */
  public Path certificate() {
    return directory.resolve("certificate.pem");
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
      keys.init(client.store(), client.password.toCharArray());
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
      trusted.setCertificateEntry(ALIAS, store().getCertificate(ALIAS));
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

  private Path storeFile() {
    return directory.resolve("store.p12");
  }

  private KeyStore store() throws IOException, GeneralSecurityException {
    return KeyStore.getInstance(storeFile().toFile(), password.toCharArray());
  }

  /** Runs keytool, since the JDK has no API to create certificates. */
  private void generate() throws IOException {
    var keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    var output = directory.resolve("keytool.log");
    var command =
        List.of(
            keytool,
            "-J-XX:TieredStopAtLevel=1",
            "-J-XX:+UseSerialGC",
            "-genkeypair",
            "-alias",
            ALIAS,
            "-keyalg",
            "EC",
            "-groupname",
            "secp256r1",
            "-validity",
            "30",
            "-dname",
            "CN=localhost",
            "-ext",
            "san=ip:127.0.0.1,dns:localhost",
            "-ext",
            "bc:critical=ca:true",
            "-storetype",
            "PKCS12",
            "-storepass",
            password,
            "-keystore",
            storeFile().toString());
    var process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
    try {
      int exit = process.start().waitFor();
      if (exit != 0) throw new IOException(keytool + " failed: " + Files.readString(output));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while keytool ran", e);
    }
  }

  private void writePem() throws IOException, GeneralSecurityException {
    var store = store();
    var key = store.getKey(ALIAS, password.toCharArray());
    Files.writeString(certificate(), pem("CERTIFICATE", store.getCertificate(ALIAS).getEncoded()));
    Files.writeString(key(), pem("PRIVATE KEY", key.getEncoded()));
  }

  private static String pem(String label, byte[] content) {
    var lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(label, lines, label);
  }
}
