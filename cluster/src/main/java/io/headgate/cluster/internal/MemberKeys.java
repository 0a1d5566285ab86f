package io.headgate.cluster.internal;

import java.nio.file.Path;

/**
 * The key stores with which members authenticate each other, in PKCS #12.
 *
 * @param identity the private key and certificate of this member
 * @param trust the certificates that other members must have or be signed by
 * @param password the password of both
 */
record MemberKeys(Path identity, Path trust, String password) {
  /** Leaves out the password. */
  @Override
  public String toString() {
    return "MemberKeys[%s, %s]".formatted(identity, trust);
  }
}
