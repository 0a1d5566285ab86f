package io.headgate.limit;

import io.headgate.internal.hash.KeyedHash;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The tenants of a {@link FairState}: a persistent hash table. A change copies one or two arrays of
 * 32 references and returns another table, so its cost does not depend on the number of tenants.
 * Immutable.
 */
final class FairTenants {
  /**
   * One tenant. Immutable.
   *
   * @param id the id of the tenant
   * @param hash the keyed hash of the id
   * @param weight the weight of the tenant
   * @param finish the virtual time at which its debt is, or was, repaid
   * @param entry the position in {@link FairDebts}, at most {@code finish}: a further charge moves
   *     the end of a debt and leaves its position, which is corrected when it is the first
   * @param next the next tenant in the same bin
   */
  record Tenant(String id, int hash, int weight, long finish, long entry, @Nullable Tenant next) {
    Tenant(String id, int hash, int weight, long finish, long entry) {
      this(id, hash, weight, finish, entry, null);
    }

    /** Returns this tenant with a debt that ends at another time, and its position there. */
    Tenant withFinish(long time) {
      return new Tenant(id, hash, weight, time, time);
    }

    private boolean isNamed(String other, int otherHash) {
      return hash == otherHash && id.equals(other);
    }

    private Tenant before(@Nullable Tenant other) {
      return new Tenant(id, hash, weight, finish, entry, other);
    }
  }

  static final FairTenants NONE = new FairTenants(new Tenant[1][], 0);

  private static final int BITS = 5;
  private static final int SIZE = 1 << BITS;

  private final @Nullable Tenant[] @Nullable [] bins;
  private final int size;

  private FairTenants(@Nullable Tenant[] @Nullable [] bins, int size) {
    this.bins = bins;
    this.size = size;
  }

  /** Returns the hash by which tenants are found. Callers choose the ids, so it is keyed. */
  static int hashOf(String id) {
    long hash = KeyedHash.of(id);
    return (int) (hash ^ hash >>> 32);
  }

  int size() {
    return size;
  }

  @Nullable Tenant find(String id, int hash) {
    var row = bins[hash & bins.length - 1];
    return row == null ? null : find(row[hash >>> BITS & SIZE - 1], id, hash);
  }

  /** Returns the tenant, which must be in the table. */
  Tenant get(String id, int hash) {
    return Objects.requireNonNull(find(id, hash), id);
  }

  private static @Nullable Tenant find(@Nullable Tenant bin, String id, int hash) {
    var tenant = bin;
    while (tenant != null && !tenant.isNamed(id, hash)) tenant = tenant.next;
    return tenant;
  }

  /** Returns a table in which the tenant replaces the one of the same id, or is added. */
  FairTenants with(Tenant tenant) {
    if (size == SIZE && bins.length == 1) return withRows().with(tenant);
    int first = tenant.hash & bins.length - 1;
    int second = tenant.hash >>> BITS & SIZE - 1;
    var rows = bins.clone();
    var old = rows[first];
    var row = old == null ? new Tenant[SIZE] : old.clone();
    rows[first] = row;
    var bin = row[second];
    boolean isNew = find(bin, tenant.id, tenant.hash) == null;
    var others = isNew ? bin : without(bin, tenant);
    row[second] = others == null && tenant.next == null ? tenant : tenant.before(others);
    return new FairTenants(rows, isNew ? size + 1 : size);
  }

  /** Returns the same tenants in a table of many rows; a table of few tenants has one row. */
  private FairTenants withRows() {
    var table = new FairTenants(new Tenant[SIZE][], 0);
    for (var tenant : list()) table = table.with(tenant);
    return table;
  }

  /** Returns a bin without the tenant of the same id. */
  private static @Nullable Tenant without(@Nullable Tenant bin, Tenant tenant) {
    if (bin == null) return null;
    if (bin.isNamed(tenant.id, tenant.hash)) return bin.next;
    return bin.before(without(bin.next, tenant));
  }

  /** Returns all tenants in no particular order. */
  List<Tenant> list() {
    var all = new ArrayList<Tenant>(size);
    for (var row : bins) {
      if (row == null) continue;
      for (var tenant : row) {
        for (var each = tenant; each != null; each = each.next) all.add(each);
      }
    }
    return all;
  }
}
