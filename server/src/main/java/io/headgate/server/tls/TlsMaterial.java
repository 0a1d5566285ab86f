package io.headgate.server.tls;

/**
 * A validated certificate chain and its key in PEM.
 *
 * @param certificate the server's certificate chain
 * @param key the private key of its leaf
 * @param clientCa the CA certificates for client certificates; empty if none are requested
 */
@SuppressWarnings("ArrayRecordComponent") // never compared; avoids copies of the key
public record TlsMaterial(byte[] certificate, byte[] key, byte[] clientCa) {
  /** Returns whether clients are requested to present a certificate. */
  public boolean requestsClientCertificates() {
    return clientCa.length > 0;
  }

  /** Returns a constant, so that the key never appears in a log. */
  @Override
  public String toString() {
    return "TLS material";
  }
}
