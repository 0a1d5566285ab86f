package io.headgate.server.tls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The paths of TLS certificates and keys.
 *
 * @param certificate the server's certificate chain in PEM, leaf first
 * @param key the leaf's private key in PEM (PKCS#8)
 * @param clientCa the CA certificates that client certificates are verified with; empty to request
 *     no client certificates
 * @param clientsRequired whether a client without a certificate is rejected
 */
public record TlsFiles(
    Path certificate, Path key, Optional<Path> clientCa, boolean clientsRequired) {
  /** Returns all paths, for watching them. */
  public List<Path> all() {
    var all = new ArrayList<>(List.of(certificate, key));
    clientCa.ifPresent(all::add);
    return all;
  }

  /**
   * Reads and validates the files.
   *
   * @throws IOException if a file can't be read
   * @throws IllegalArgumentException if a file has no usable content, or the key does not match the
   *     certificate
   */
  public TlsMaterial read() throws IOException {
    byte[] chain = Files.readAllBytes(certificate);
    byte[] privateKeyPem = Files.readAllBytes(key);
    PemFiles.requirePair(certificate, chain, key, privateKeyPem);
    if (clientCa.isEmpty()) return new TlsMaterial(chain, privateKeyPem, new byte[0]);
    byte[] trusted = Files.readAllBytes(clientCa.get());
    PemFiles.requireCertificates(clientCa.get(), trusted);
    return new TlsMaterial(chain, privateKeyPem, trusted);
  }
}
