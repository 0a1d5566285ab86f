package io.headgate.server.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Where certificates and keys are.
 *
 * @param certificate the chain that is shown, in PEM, the service's own first
 * @param key its private key, in PEM
 * @param clients who may vouch for clients, if they are to show certificates of their own
 * @param clientsMust whether a client without one is refused
 */
public record TlsFiles(Path certificate, Path key, Optional<Path> clients, boolean clientsMust) {
  /** All files, so that they can be followed. */
  public List<Path> all() {
    var all = new ArrayList<>(List.of(certificate, key));
    clients.ifPresent(all::add);
    return all;
  }

  /**
   * What is in them now.
   *
   * @throws IllegalArgumentException if it can't be used
   */
  public TlsMaterial read() throws IOException {
    byte[] chain = Files.readAllBytes(certificate);
    byte[] secret = Files.readAllBytes(key);
    PemFiles.requirePair(certificate, chain, key, secret);
    if (clients.isEmpty()) return new TlsMaterial(chain, secret, new byte[0]);
    byte[] trusted = Files.readAllBytes(clients.get());
    PemFiles.requireCertificates(clients.get(), trusted);
    return new TlsMaterial(chain, secret, trusted);
  }
}
