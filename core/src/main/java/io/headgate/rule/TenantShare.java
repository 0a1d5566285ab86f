package io.headgate.rule;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.limit.FairSharing;
import io.headgate.limit.Share;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;

/** Derives the tenant of a request and its weight from the attributes of the subject. */
final class TenantShare {
  private static final int HASH_BYTES = 24;

  /** Returns the share of a subject. Subjects without the attributes are one tenant of weight 1. */
  static Share of(FairSharing sharing, Subject subject) {
    String tenant = Counter.valueOf(subject, sharing.among());
    String weighed = tenant;
    if (sharing.weightBy().isPresent()) {
      var value = subject.find(sharing.weightBy().get());
      weighed = value == null ? "" : value;
    }
    int weight = sharing.weightOf(weighed);
    return new Share(tenant.length() <= Share.MAX_LENGTH ? tenant : hash(tenant), weight);
  }

  /** Returns a text of bounded length, the same on all instances, since states contain it. */
  private static String hash(String tenant) {
    try {
      var hash = MessageDigest.getInstance("SHA-256").digest(tenant.getBytes(UTF_8));
      return "#" + Base64.getUrlEncoder().encodeToString(Arrays.copyOf(hash, HASH_BYTES));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("the JDK does not provide SHA-256", e);
    }
  }

  private TenantShare() {}
}
