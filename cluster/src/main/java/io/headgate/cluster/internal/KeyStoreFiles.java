package io.headgate.cluster.internal;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.util.Base64;
import java.util.Collection;

/** Writes key stores for the grid, which reads them from files. */
final class KeyStoreFiles {
  private static final String ALIAS = "member";

  private KeyStoreFiles() {}

  /**
   * Writes key stores to files that only this user can read, and that are deleted at exit.
   *
   * @param chain the certificate of the key, and those that signed it
   * @param trusted the certificates that other members must have or be signed by
   */
  static MemberKeys write(
      PrivateKey key, Collection<Certificate> chain, Collection<Certificate> trusted)
      throws GeneralSecurityException, IOException {
    var random = new byte[24];
    new SecureRandom().nextBytes(random);
    var password = Base64.getUrlEncoder().encodeToString(random);
    var folder =
        Files.createTempDirectory(
            "headgate-cluster",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    folder.toFile().deleteOnExit(); // after the files in it, which are registered later
    var identity = emptyStore();
    identity.setKeyEntry(ALIAS, key, password.toCharArray(), chain.toArray(Certificate[]::new));
    var trust = emptyStore();
    int number = 0;
    for (var certificate : trusted) {
      trust.setCertificateEntry(number == 0 ? ALIAS : ALIAS + number, certificate);
      number++;
    }
    return new MemberKeys(
        save(identity, folder.resolve("identity.p12"), password),
        save(trust, folder.resolve("trust.p12"), password),
        password);
  }

  private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
    var store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private static Path save(KeyStore store, Path file, String password)
      throws GeneralSecurityException, IOException {
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try (var out = Files.newOutputStream(file)) {
      store.store(out, password.toCharArray());
    }
    file.toFile().deleteOnExit();
    return file;
  }
}
