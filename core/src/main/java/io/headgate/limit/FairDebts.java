package io.headgate.limit;

import io.headgate.limit.FairTenants.Tenant;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The tenants of a {@link FairState} that have a debt, ordered by {@link Tenant#entry}: a
 * persistent treap (Aragon and Seidel 1989), whose priorities are keyed hashes. Adding and removing
 * take logarithmic time. Immutable; null is the empty tree.
 *
 * @param entry a lower bound of the virtual time at which the tenant's debt is repaid
 * @param id the id of the tenant
 * @param hash the hash of the id
 * @param left the tenants with lower entries
 * @param right the tenants with higher entries
 */
record FairDebts(
    long entry, String id, int hash, @Nullable FairDebts left, @Nullable FairDebts right) {

  /** Returns a tree with one more tenant. */
  static FairDebts add(@Nullable FairDebts tree, Tenant tenant) {
    if (tree == null) return of(tenant, null, null);
    if (priority(tenant.hash()) > priority(tree.hash)) {
      return of(tenant, below(tree, tenant), above(tree, tenant));
    }
    return tree.isAbove(tenant)
        ? tree.with(add(tree.left, tenant), tree.right)
        : tree.with(tree.left, add(tree.right, tenant));
  }

  /** Returns a tree without a tenant of it, which has the same entry. */
  static @Nullable FairDebts remove(@Nullable FairDebts tree, Tenant tenant) {
    if (tree == null) return null;
    if (tree.entry == tenant.entry() && tree.id.equals(tenant.id())) {
      return join(tree.left, tree.right);
    }
    return tree.isAbove(tenant)
        ? tree.with(remove(tree.left, tenant), tree.right)
        : tree.with(tree.left, remove(tree.right, tenant));
  }

  /** Adds the ids of all tenants of a tree. */
  static void addIds(@Nullable FairDebts tree, Set<String> ids) {
    if (tree == null) return;
    ids.add(tree.id);
    addIds(tree.left, ids);
    addIds(tree.right, ids);
  }

  /** Returns the tenant of the lowest entry. */
  FairDebts first() {
    var node = this;
    while (node.left != null) node = node.left;
    return node;
  }

  /** Returns this tree without {@link #first}. */
  @Nullable FairDebts removeFirst() {
    return left == null ? right : with(left.removeFirst(), right);
  }

  private static @Nullable FairDebts below(@Nullable FairDebts tree, Tenant tenant) {
    if (tree == null) return null;
    if (tree.isAbove(tenant)) return below(tree.left, tenant);
    return tree.with(tree.left, below(tree.right, tenant));
  }

  private static @Nullable FairDebts above(@Nullable FairDebts tree, Tenant tenant) {
    if (tree == null) return null;
    if (!tree.isAbove(tenant)) return above(tree.right, tenant);
    return tree.with(above(tree.left, tenant), tree.right);
  }

  private static @Nullable FairDebts join(@Nullable FairDebts low, @Nullable FairDebts high) {
    if (low == null) return high;
    if (high == null) return low;
    return priority(low.hash) >= priority(high.hash)
        ? low.with(low.left, join(low.right, high))
        : high.with(join(low, high.left), high.right);
  }

  private boolean isAbove(Tenant tenant) {
    if (entry != tenant.entry()) return entry > tenant.entry();
    return id.compareTo(tenant.id()) > 0;
  }

  /** Other bits than those that select the bin of a tenant come first. */
  private static int priority(int hash) {
    return Integer.reverse(hash) * 0x9E3779B9;
  }

  private static FairDebts of(Tenant tenant, @Nullable FairDebts left, @Nullable FairDebts right) {
    return new FairDebts(tenant.entry(), tenant.id(), tenant.hash(), left, right);
  }

  private FairDebts with(@Nullable FairDebts left, @Nullable FairDebts right) {
    return new FairDebts(entry, id, hash, left, right);
  }
}
