package io.headgate.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.limit.FairTenants.Tenant;
import java.util.HashMap;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

/**
 * The persistent table and tree of a {@link FairState}, compared with the collections of the JDK.
 */
class FairStructuresProperties {
  @Property(tries = 100)
  void tableFindsTheLastTenantOfEachId(@ForAll long seed) {
    var random = new Random(seed);
    var expected = new HashMap<String, Tenant>();
    var table = FairTenants.NONE;
    for (int i = 0; i < 500; i++) {
      var earlier = table;
      int size = table.size();
      var tenant = tenant(random, i);
      var before = table.find(tenant.id(), tenant.hash());
      table = table.with(tenant);
      expected.put(tenant.id(), tenant);
      assertThat(table.size()).isEqualTo(expected.size());
      assertThat(earlier.size()).isEqualTo(size);
      assertThat(earlier.find(tenant.id(), tenant.hash())).isEqualTo(before);
    }
    for (var tenant : expected.values()) {
      assertThat(table.get(tenant.id(), tenant.hash()).finish()).isEqualTo(tenant.finish());
    }
    assertThat(table.list()).hasSize(expected.size());
    assertThat(table.find("other", FairTenants.hashOf("other"))).isNull();
  }

  @Property(tries = 100)
  void treeReturnsTheLowestEntry(@ForAll long seed) {
    var random = new Random(seed);
    var expected = new TreeMap<String, Tenant>();
    @Nullable FairDebts tree = null;
    for (int i = 0; i < 500; i++) {
      if (expected.isEmpty() || random.nextInt(3) > 0) {
        var tenant = tenant(random, random.nextInt(50));
        var known = expected.values().stream().filter(t -> t.id().equals(tenant.id())).findAny();
        if (known.isPresent()) {
          tree = FairDebts.remove(tree, known.get());
          expected.remove(order(known.get()));
        }
        tree = FairDebts.add(tree, tenant);
        expected.put(order(tenant), tenant);
      } else if (tree != null) {
        tree = tree.removeFirst();
        expected.pollFirstEntry();
      }
      assertThat(tree == null).isEqualTo(expected.isEmpty());
      if (tree != null) {
        assertThat(tree.first().id()).isEqualTo(expected.firstEntry().getValue().id());
      }
    }
  }

  private static String order(Tenant tenant) {
    return "%019d %s".formatted(tenant.entry(), tenant.id());
  }

  /** Half of the hashes collide, so that bins have several tenants. */
  private static Tenant tenant(Random random, long finish) {
    var id = "t" + random.nextInt(100);
    int hash = id.hashCode() % 2 == 0 ? 7 : FairTenants.hashOf(id);
    return new Tenant(id, hash, 1, finish, finish);
  }
}
