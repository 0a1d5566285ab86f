package io.headgate.store;

import io.headgate.limit.State;
import io.headgate.limit.Utilization;
import io.headgate.rule.Charge;
import io.headgate.rule.Counter;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A part of the table: chains of cells.
 *
 * <p>Readers follow chains without a lock while writers, who hold it, change them. A reader may
 * then miss a cell, and asks again under the lock; what it finds is right in any case, since a cell
 * that was taken out is dead.
 *
 * <p>What may be forgotten when there is no room? First what says nothing: a state that has become
 * fresh. Then what says least: of some cells that come next in turn, one whose caller was not
 * refused last time, and among these the one with the smallest share of its limit in use. A flood
 * of invented keys fills the table with callers who have used one request each, and these push out
 * each other, while those who are being limited stay.
 */
final class Segment {
  private static final int SMALLEST = 16;
  private static final int LONGEST_CHAIN = 32;
  private static final int LOOKED_AT = 8;
  private static final int LOOKED_AT_MOST = 128;
  private static final long LITTLE = Utilization.ALL / 2;

  /**
   * How long a fresh state is kept, in microseconds: a caller who read the clock before the state
   * became fresh, and comes only now, must still find it.
   */
  private static final long GRACE = 1_000_000;

  /** Not AtomicReferenceArrays, which are one more place to go to each. */
  private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Cell[].class);

  private static final VarHandle CHAINS = MethodHandles.arrayElementVarHandle(Cell[][].class);

  private final @Nullable Cell[][] all; // chains, of all segments
  private final int index;
  private final int most;
  private final ReentrantLock lock = new ReentrantLock();

  private int size;
  private int hand; // the chain that is looked at next when something must go

  /**
   * @param all where each segment has its chains, this one at {@code index}
   */
  Segment(@Nullable Cell[][] all, int index, int most) {
    this.all = all;
    this.index = index;
    this.most = Math.max(1, most);
    setChains(new @Nullable Cell[SMALLEST]);
  }

  /** Until {@link #unlock}, no cell is added here and none ends. */
  void lock() {
    lock.lock();
  }

  void unlock() {
    lock.unlock();
  }

  int size() {
    lock.lock();
    try {
      return size;
    } finally {
      lock.unlock();
    }
  }

  /** Looks in segment {@code index} of all, without a lock. */
  static @Nullable Cell find(
      @Nullable Cell[][] all, int index, Counter counter, String key, int hash) {
    var chains = (@Nullable Cell[]) CHAINS.getVolatile(all, index);
    for (var cell = chain(chains, hash & chains.length - 1); cell != null; cell = cell.next) {
      if (cell.isFor(counter, key)) return cell;
    }
    return null;
  }

  private @Nullable Cell find(Counter counter, String key, int hash) {
    return find(all, index, counter, key, hash);
  }

  Cell obtain(Charge charge, long now) {
    int hash = charge.hash();
    lock.lock();
    try {
      var there = find(charge.counter(), charge.key(), hash);
      if (there != null && there.suits(charge)) return there;
      State state = State.FRESH;
      if (there != null) {
        state = charge.limit().adopt(there.kill(), now);
        unlink(there, hash);
      }
      return add(CellTable.newCell(charge, state), hash, now);
    } finally {
      lock.unlock();
    }
  }

  /** As {@link #find}, but not misled by writers. */
  @Nullable Cell findSurely(Counter counter, String key, int hash) {
    var cell = find(counter, key, hash);
    if (cell != null) return cell;
    lock.lock();
    try {
      return find(counter, key, hash);
    } finally {
      lock.unlock();
    }
  }

  void remove(Counter counter, String key, int hash) {
    lock.lock();
    try {
      var cell = find(counter, key, hash);
      if (cell != null) end(cell, hash);
    } finally {
      lock.unlock();
    }
  }

  void sweep(long now) {
    lock.lock();
    try {
      for (int i = 0; i < chains().length; i++) sweepChain(i, now);
      int wanted = Math.max(SMALLEST, Integer.highestOneBit(Math.max(1, size)) * 2);
      if (wanted <= chains().length / 4) resize(wanted);
    } finally {
      lock.unlock();
    }
  }

  private Cell add(Cell cell, int hash, long now) {
    sweepChain(turn(), now); // each newcomer tidies up a little, so that somebody always does
    while (size >= most && forgetOne(now)) {}
    forgetInLongChain(hash, now);
    if (size >= chains().length) resize(chains().length * 2);
    int slot = slot(hash);
    cell.next = chain(slot);
    SLOT.setVolatile(chains(), slot, cell);
    size++;
    return cell;
  }

  private void sweepChain(int slot, long now) {
    long then = now - GRACE;
    for (var cell = chain(slot); cell != null; cell = cell.next) {
      if (cell.isUnused() || cell.look().freshAt() > then) continue;
      if (cell.killIfFresh(then)) unlink(cell, slot);
    }
  }

  /** Makes room for one; false if all there is waits to be used. */
  private boolean forgetOne(long now) {
    var choice = new Choice(now);
    for (int turns = 0; turns < chains().length && !choice.isGoodEnough(); turns++) {
      choice.offer(chain(turn()));
    }
    return choice.end();
  }

  /**
   * Bounds the time of a search, whatever happens. Chance makes no such chain, and choice needs the
   * key of the hash.
   */
  private void forgetInLongChain(int hash, long now) {
    int length = 0;
    for (var cell = chain(slot(hash)); cell != null; cell = cell.next) length++;
    if (length < LONGEST_CHAIN) return;
    var choice = new Choice(now);
    choice.offer(chain(slot(hash)));
    choice.end();
  }

  /** The cell, of those on offer, that says least. */
  private final class Choice {
    private final long now;
    private @Nullable Cell least;
    private boolean refused = true;
    private long used = Long.MAX_VALUE;
    private long freshAt = Long.MAX_VALUE;
    private int seen;

    Choice(long now) {
      this.now = now;
    }

    void offer(@Nullable Cell chain) {
      for (var cell = chain; cell != null; cell = cell.next) {
        if (cell.isUnused()) continue;
        seen++;
        var state = cell.look();
        long itsUsed = state.used(now);
        boolean isRefused = itsUsed > 0 && cell.isRefused();
        if (saysLess(isRefused, itsUsed, state.freshAt())) {
          least = cell;
          refused = isRefused;
          used = itsUsed;
          freshAt = state.freshAt();
        }
      }
    }

    private boolean saysLess(boolean isRefused, long itsUsed, long itsFreshAt) {
      if (isRefused != refused) return refused;
      if (itsUsed != used) return itsUsed < used;
      return itsFreshAt < freshAt;
    }

    boolean isGoodEnough() {
      return seen >= (used <= LITTLE && !refused ? LOOKED_AT : LOOKED_AT_MOST);
    }

    boolean end() {
      if (least == null) return false;
      Segment.this.end(least, Charge.hashOf(least.counter, least.key));
      return true;
    }
  }

  private void end(Cell cell, int hash) {
    cell.kill();
    unlink(cell, hash);
  }

  /** Takes a cell out of its chain; it keeps its own way on, for those who are just reading it. */
  private void unlink(Cell cell, int hash) {
    int slot = slot(hash);
    var before = chain(slot);
    if (before == cell) {
      SLOT.setVolatile(chains(), slot, cell.next);
    } else {
      while (before != null && before.next != cell) before = before.next;
      if (before == null) return;
      before.next = cell.next;
    }
    size--;
  }

  /** Appends every cell to its chain among {@code length}: no link is made that closes a loop. */
  private void resize(int length) {
    var old = chains();
    var moved = new @Nullable Cell[length];
    var tails = new @Nullable Cell[length];
    for (int i = 0; i < old.length; i++) {
      for (var cell = old[i]; cell != null; ) {
        var following = cell.next;
        int slot = Charge.hashOf(cell.counter, cell.key) & length - 1;
        var tail = tails[slot];
        if (tail == null) moved[slot] = cell;
        else tail.next = cell;
        tails[slot] = cell;
        cell = following;
      }
    }
    for (var tail : tails) {
      if (tail != null) tail.next = null;
    }
    setChains(moved);
  }

  private static @Nullable Cell chain(@Nullable Cell[] chains, int slot) {
    return (Cell) SLOT.getVolatile(chains, slot);
  }

  private @Nullable Cell[] chains() {
    return all[index];
  }

  private void setChains(@Nullable Cell[] chains) {
    CHAINS.setVolatile(all, index, chains);
  }

  private @Nullable Cell chain(int slot) {
    return chain(chains(), slot);
  }

  private int slot(int hash) {
    return hash & chains().length - 1;
  }

  private int turn() {
    hand = slot(hand + 1);
    return hand;
  }
}
