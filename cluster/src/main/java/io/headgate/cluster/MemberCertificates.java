package io.headgate.cluster;

import java.nio.file.Path;

/**
 * The files with which a member proves its identity and checks that of others, in PEM. Any
 * certificate that the authority has signed may join, so the cluster needs an authority of its own.
 *
 * @param certificate the certificate of this member, followed by those of intermediate authorities
 * @param key the private key of the certificate, unencrypted (PKCS #8)
 * @param authority the certificates of the authorities that sign the certificates of members
 */
public record MemberCertificates(Path certificate, Path key, Path authority) {}
