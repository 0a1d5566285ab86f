package io.headgate.rule;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Finds the prefixes that a text begins with.
 *
 * <p>Computes a rolling hash in one pass over the text, and looks it up at each length that some
 * prefix has. Creates no substrings; the time depends on the length of the text only. For up to
 * four prefixes, tries each, which is faster.
 */
final class PrefixIndex {
  /** A prefix and what it stands for. */
  record Entry(String prefix, IntCollector ordinals, @Nullable Entry next) {}

  private static final int FEW = 4;

  private final Entry[] few; // all prefixes if there are at most FEW, otherwise empty
  private final @Nullable Entry[] table;
  private final boolean[] lengths;

  PrefixIndex(Map<String, IntCollector> prefixes) {
    int longest = 0;
    for (var prefix : prefixes.keySet()) longest = Math.max(longest, prefix.length());
    lengths = new boolean[longest + 1];
    table = new Entry[Integer.highestOneBit(Math.max(1, prefixes.size())) * 2];
    for (var entry : prefixes.entrySet()) {
      String prefix = entry.getKey();
      lengths[prefix.length()] = true;
      int slot = slot(prefix.hashCode());
      table[slot] = new Entry(prefix, entry.getValue(), table[slot]);
    }
    few =
        prefixes.entrySet().stream()
            .limit(prefixes.size() <= FEW ? FEW : 0)
            .map(entry -> new Entry(entry.getKey(), entry.getValue(), null))
            .toArray(Entry[]::new);
  }

  /** Returns the prefix of an index that has exactly one; otherwise null. */
  @Nullable Entry only() {
    return few.length == 1 ? few[0] : null;
  }

  void find(String text, IntCollector found) {
    for (var entry : few) {
      if (text.startsWith(entry.prefix)) found.addAll(entry.ordinals);
    }
    if (few.length == 0) findByHash(text, found);
  }

  private void findByHash(String text, IntCollector found) {
    int hash = 0; // computed as String.hashCode is
    int last = Math.min(text.length(), lengths.length - 1);
    for (int length = 0; ; length++) {
      if (lengths[length]) lookUp(text, length, hash, found);
      if (length == last) return;
      hash = 31 * hash + text.charAt(length);
    }
  }

  private void lookUp(String text, int length, int hash, IntCollector found) {
    for (Entry e = table[slot(hash)]; e != null; e = e.next) {
      if (e.prefix.length() == length && text.startsWith(e.prefix)) found.addAll(e.ordinals);
    }
  }

  private int slot(int hash) {
    return (hash ^ hash >>> 16) & table.length - 1;
  }
}
