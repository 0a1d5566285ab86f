package io.headgate.testkit.net;

import io.headgate.testkit.ScratchDirectory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
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
  private static final String ISSUER = "issuer";

  private final ScratchDirectory directory = ScratchDirectory.create("headgate-certificates-");
  private final String password = UUID.randomUUID().toString();

  private TestCertificates() {}

  /** Generates a key and a self-signed certificate. */
  public static TestCertificates create() {
    return create(certificates -> certificates.generate(ALIAS));
  }

  /** Generates a key and a certificate of a CA, valid from so many days after now for 30 days. */
  public static TestCertificates ofIssuer(int validFrom) {
    return create(certificates -> {
      certificates.generate(ALIAS);
      certificates.generate(ISSUER);
      certificates.sign(validFrom);
    });
  }

  /** Runs keytool on a new key store. */
  private interface Generation {
    void run(TestCertificates certificates) throws IOException;
  }

  private static TestCertificates create(Generation generation) {
    var certificates = new TestCertificates();
    try {
      generation.run(certificates);
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

  private void generate(String alias) throws IOException {
    keytool(
        "-genkeypair",
        "-alias",
        alias,
        "-keyalg",
        "EC",
        "-groupname",
        "secp256r1",
        "-validity",
        "30",
        "-dname",
        alias.equals(ALIAS) ? "CN=localhost" : "CN=" + alias,
        "-ext",
        "san=ip:127.0.0.1,dns:localhost",
        "-ext",
        "bc:critical=ca:true",
        "-storetype",
        "PKCS12");
  }

  /** Replaces the self-signed certificate of the server by one of the CA. */
  private void sign(int validFrom) throws IOException {
    var request = directory.resolve("request.pem").toString();
    var signed = directory.resolve("signed.pem").toString();
    keytool("-certreq", "-alias", ALIAS, "-file", request);
    keytool(
        "-gencert",
        "-alias",
        ISSUER,
        "-infile",
        request,
        "-outfile",
        signed,
        "-startdate",
        "%+dd".formatted(validFrom),
        "-validity",
        "30",
        "-ext",
        "san=ip:127.0.0.1,dns:localhost");
    keytool("-importcert", "-noprompt", "-alias", ALIAS, "-file", signed);
  }

  /** Runs keytool, since the JDK has no API to create certificates. */
  private void keytool(String... arguments) throws IOException {
    var keytool = Path.of(System.getProperty("java.home"), "bin", "keytool").toString();
    var output = directory.resolve("keytool.log");
    var command =
        new ArrayList<String>(List.of(keytool, "-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"));
    command.addAll(List.of(arguments));
    command.addAll(List.of("-storepass", password, "-keystore", storeFile().toString()));
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
    var issuer = store.getCertificate(store.containsAlias(ISSUER) ? ISSUER : ALIAS);
    Files.writeString(issuer(), pem("CERTIFICATE", issuer.getEncoded()));
    Files.writeString(key(), pem("PRIVATE KEY", key.getEncoded()));
  }

  private static String pem(String label, byte[] content) {
    var lines = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    return "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(label, lines, label);
  }
}
