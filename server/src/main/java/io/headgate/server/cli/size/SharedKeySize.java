package io.headgate.server.cli.size;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Computes the memory of the keys that the counters of a subject and rule share in the layout
 * compact. A shared key is a text of MessagePack with the name, the expiry and the text of each
 * state.
 */
final class SharedKeySize {
  /** The states of a shared key; more have keys of their own. */
  static final int MAX_STATES = 32;

  /** The longest text of a state in a shared key. */
  static final long MAX_TEXT = 256;

  private static final long EXPIRY = 5;

  /**
   * A state of a shared key.
   *
   * @param limit the name of the limit
   * @param keys the number of shared keys with this state
   * @param nameLength the characters of its name in the shared key
   * @param textBytes the bytes of its text
   */
  record SharedState(String limit, double keys, int nameLength, long textBytes) {}

  private final int nameLength;
  private final List<SharedState> states = new ArrayList<>();

  /**
   * @param nameLength the characters of the name of the shared key
   */
  SharedKeySize(int nameLength) {
    this.nameLength = nameLength;
  }

  /** Adds a state; returns false if there is no room for it. */
  boolean add(SharedState state) {
    return states.size() < MAX_STATES && states.add(state);
  }

  /** Returns the names of the limits, in the order of the rule. */
  List<String> limits() {
    return states.stream().map(SharedState::limit).distinct().toList();
  }

  /** Returns the number of shared keys: that of the state that most of them have. */
  double keys() {
    return states.stream().mapToDouble(SharedState::keys).max().orElse(0);
  }

  /**
   * Returns the bytes of all shared keys without their tables. The callers of a limit with fewer
   * keys are among those of a limit with more.
   */
  double bytes() {
    var byKeys = new ArrayList<>(states);
    byKeys.sort(Comparator.comparingDouble(SharedState::keys).reversed());
    double bytes = 0;
    long text = 0;
    for (int i = 0; i < byKeys.size(); i++) {
      text += packedBytes(byKeys.get(i));
      double next = i + 1 < byKeys.size() ? byKeys.get(i + 1).keys() : 0;
      bytes += (byKeys.get(i).keys() - next) * RedisMemory.keyBytes(nameLength, text);
    }
    return bytes;
  }

  private static long packedBytes(SharedState state) {
    return packedBytes(state.nameLength()) + EXPIRY + packedBytes(state.textBytes());
  }

  /** Returns the bytes of a text in MessagePack. */
  private static long packedBytes(long length) {
    return length + (length < 32 ? 1 : length < 256 ? 2 : 3);
  }
}
