package io.headgate.cluster.internal.quorum;

import io.headgate.limit.NumberReader;
import io.headgate.limit.NumberWriter;
import java.util.Collections;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The members whose majority decides, as of one agreement. Immutable.
 *
 * @param version the number of agreements so far; 0 for those with which a cluster is founded
 * @param ids the addresses of the members, of which the first breaks ties
 * @param size their number; more than the ids if the addresses are not known, so that any members
 *     count and there are no ties
 */
public record Voters(long version, SortedSet<String> ids, int size) {
  static final int MAX_VOTERS = 1_000;

  /** Copies the ids; throws {@link IllegalArgumentException} if there are too many. */
  public Voters {
    if (version < 0 || size < 1 || size > MAX_VOTERS || ids.size() > size) {
      throw new IllegalArgumentException(
          "version %d with %d of %d members, of at most %d"
              .formatted(version, ids.size(), size, MAX_VOTERS));
    }
    ids = Collections.unmodifiableSortedSet(new TreeSet<>(ids));
  }

  static Voters of(long version, Set<String> ids) {
    return new Voters(version, new TreeSet<>(ids), ids.size());
  }

  /** Returns those that found a cluster, if all of them are known by their address. */
  public static Voters listed(Set<String> ids) {
    return of(0, ids);
  }

  /** Returns those that found a cluster of this size, whichever they are. */
  public static Voters any(int size) {
    return new Voters(0, new TreeSet<>(), size);
  }

  /**
   * Returns whether these members are a majority of the voters, or one half with the first voter.
   * Two disjoint sets of members never both are, if there are no more members than the size.
   */
  boolean isQuorum(Set<String> present) {
    if (ids.size() < size) return 2L * present.size() > size;
    long count = ids.stream().filter(present::contains).count();
    return 2 * count > size || (2 * count == size && present.contains(ids.first()));
  }

  void writeTo(NumberWriter out) {
    out.put(version).put(size).put(ids.size());
    for (var id : ids) out.put(id);
  }

  static Voters readFrom(NumberReader in) {
    long version = in.next();
    int size = in.count();
    int count = in.count();
    if (count > MAX_VOTERS) throw new IllegalArgumentException("%d members".formatted(count));
    var ids = new TreeSet<String>();
    for (int i = 0; i < count; i++) ids.add(in.text());
    return new Voters(version, ids, size);
  }
}
