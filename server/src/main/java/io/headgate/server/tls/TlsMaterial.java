package io.headgate.server.tls;

/**
 * Certificates and a key in PEM, known to fit together.
 *
 * @param clients empty if clients show none
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; a key is not to be copied about
public record TlsMaterial(byte[] certificate, byte[] key, byte[] clients) {
  public boolean asksClients() {
    return clients.length > 0;
  }

  /** Shows nothing of the key. */
  @Override
  public String toString() {
    return "TLS material";
  }
}
