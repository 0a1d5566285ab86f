package io.headgate.server.grpc;

import io.headgate.http.TruncatedText;
import io.headgate.rule.Subject;
import io.headgate.rulefile.EnvoyAttributes;
import io.headgate.server.grpc.proto.BucketId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.TreeMap;

/**
 * The identity of a quota bucket. Two ids are equal if they have the same entries in any order.
 * Comparable, so that hash tables stay fast if callers choose entries with equal hashes.
 *
 * @param entries the keys and values in alternation, ordered by key
 */
record BucketName(List<String> entries) implements Comparable<BucketName> {
  /** The maximum number of entries, as of a descriptor. */
  static final int MAX_ENTRIES = Descriptors.MAX_ENTRIES;

  /** Copies the entries. */
  BucketName {
    entries = List.copyOf(entries);
  }

  /**
   * Returns whether a response may contain the id. Envoy ignores an id without entries. It rejects
   * a whole response that contains a string that is not UTF-8, although it sends such ids.
   */
  static boolean isAnswerable(BucketId id) {
    if (id.getBucketCount() == 0) return false;
    for (var entry : id.getBucketList()) {
      if (!entry.getKeyBytes().isValidUtf8() || !entry.getValueBytes().isValidUtf8()) return false;
    }
    return true;
  }

  /** Returns the name of an answerable id. Of two entries with one key the last counts. */
  static BucketName of(BucketId id) {
    var sorted = new TreeMap<String, String>();
    for (var entry : id.getBucketList()) sorted.put(entry.getKey(), entry.getValue());
    var entries = new ArrayList<String>(2 * sorted.size());
    sorted.forEach((key, value) -> {
      entries.add(key);
      entries.add(value);
    });
    return new BucketName(entries);
  }

  boolean isTooLarge() {
    return entries.size() > 2 * MAX_ENTRIES;
  }

  /**
   * Returns the subject of the requests in the bucket, with the attributes of a descriptor that has
   * the same entries in the order of their keys.
   *
   * @param domain the domain of the stream, as an attribute value
   */
  Subject subject(String domain) {
    var keys = new ArrayList<String>(entries.size() / 2);
    for (int i = 0; i < entries.size(); i += 2) {
      keys.add(entries.get(i).isEmpty() ? EnvoyAttributes.EMPTY : entries.get(i));
    }
    var names = EnvoyAttributes.names(keys);
    var attributes = new LinkedHashMap<String, String>();
    attributes.put(EnvoyAttributes.DOMAIN, domain);
    attributes.put(EnvoyAttributes.KEYS, Descriptors.value(EnvoyAttributes.joined(keys)));
    for (int i = 0; i < keys.size(); i++) {
      attributes.put(TruncatedText.name(names.get(i)), Descriptors.value(entries.get(2 * i + 1)));
    }
    return Subject.of(attributes);
  }

  BucketId message() {
    var id = BucketId.newBuilder();
    for (int i = 0; i < entries.size(); i += 2) {
      id.addBucketBuilder().setKey(entries.get(i)).setValue(entries.get(i + 1));
    }
    return id.build();
  }

  @Override
  public int compareTo(BucketName other) {
    int both = Math.min(entries.size(), other.entries.size());
    for (int i = 0; i < both; i++) {
      int order = entries.get(i).compareTo(other.entries.get(i));
      if (order != 0) return order;
    }
    return Integer.compare(entries.size(), other.entries.size());
  }
}
