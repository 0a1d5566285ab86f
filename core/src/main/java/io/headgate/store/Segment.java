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
 * One segment of a {@link CellTable}: a hash table with chaining, a lock for writers, and an
 * eviction policy.
 *
 * <p>Readers follow chains without a lock while writers change them under the lock. A reader may
 * therefore miss a cell, and repeats the lookup under the lock. A cell that a reader does find is
 * safe to use, since every removed cell is dead.
 *
 * <p>Eviction removes states that have become fresh first, since a fresh state carries no
 * information. Then it samples the cells of the next chains, as Redis samples keys ({@code
 * maxmemory-samples}), and evicts the best victim of the sample. A hand that advances over the
 * chains, as in the CLOCK algorithm, chooses the sample. The victim is a cell whose last request
 * was not refused, and among these the one with the smallest utilization of its limit. A flood of
 * invented keys fills the table with callers that have made one request each. These evict each
 * other, while callers that are being limited stay.
 */
final class Segment {
  private static final int MIN_CHAINS = 16;
  private static final int MAX_CHAIN_LENGTH = 32;

  /** The sample size if it contains a cell of low utilization that was not refused. */
  private static final int MIN_SAMPLE = 8;

  private static final int MAX_SAMPLE = 128;
  private static final long LOW_UTILIZATION = Utilization.ALL / 2;

  /**
   * How long a fresh state is kept, in microseconds. A thread that read the clock before the state
   * became fresh must still find it if it reaches the table later.
   */
  static final long GRACE = 1_000_000;

  /** Used instead of an AtomicReferenceArray, which adds an indirection. */
  private static final VarHandle SLOT = MethodHandles.arrayElementVarHandle(Cell[].class);

  private static final VarHandle CHAINS = MethodHandles.arrayElementVarHandle(Cell[][].class);

  private final @Nullable Cell[][] all; // the chains of all segments
  private final int index;
  private final int maxCells;
  private final ReentrantLock lock = new ReentrantLock();

  private int size;
  private int hand; // the chain that was sampled or swept last

  /**
   * Creates an empty segment.
   *
   * @param all the chains of all segments; those of this one are at {@code index}
   */
  Segment(@Nullable Cell[][] all, int index, int maxCells) {
    this.all = all;
    this.index = index;
    this.maxCells = Math.max(1, maxCells);
    setChains(new @Nullable Cell[MIN_CHAINS]);
  }

  /** Prevents the insertion and removal of cells until {@link #unlock}. */
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

  /**
   * Finds a cell in segment {@code index} without taking the lock. May miss a cell while a writer
   * changes the chain.
   */
  static @Nullable Cell findUnlocked(
      @Nullable Cell[][] all, int index, Counter counter, String key, int hash) {
    var chains = (@Nullable Cell[]) CHAINS.getVolatile(all, index);
    for (var cell = chain(chains, hash & chains.length - 1); cell != null; cell = cell.next) {
      if (cell.isFor(counter, key)) return cell;
    }
    return null;
  }

  private @Nullable Cell findUnlocked(Counter counter, String key, int hash) {
    return findUnlocked(all, index, counter, key, hash);
  }

  /** Finds a cell. Takes the lock only if it is not found without. */
  @Nullable Cell find(Counter counter, String key, int hash) {
    var cell = findUnlocked(counter, key, hash);
    if (cell != null) return cell;
    lock.lock();
    try {
      return findUnlocked(counter, key, hash);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns a cell that accepts the charge. Creates it if it is missing, and replaces one that
   * can't store the limit's states.
   */
  Cell obtain(Charge charge, long now) {
    int hash = charge.hash();
    lock.lock();
    try {
      var found = findUnlocked(charge.counter(), charge.key(), hash);
      if (found != null && found.accepts(charge)) return found;
      State state = State.FRESH;
      if (found != null) {
        state = charge.limit().adopt(found.retire(), now);
        unlink(found, hash);
      }
      return add(CellTable.newCell(charge, state), hash, now);
    } finally {
      lock.unlock();
    }
  }

  /** Returns the cell of the charge's counter as a {@link StateCell}. */
  Cell obtainForAnyState(Charge charge, long now) {
    int hash = charge.hash();
    lock.lock();
    try {
      var found = findUnlocked(charge.counter(), charge.key(), hash);
      if (found instanceof StateCell) return found;
      State state = State.FRESH;
      if (found != null) {
        state = found.retire();
        unlink(found, hash);
      }
      return add(new StateCell(charge.counter(), charge.key(), state), hash, now);
    } finally {
      lock.unlock();
    }
  }

  void remove(Counter counter, String key, int hash) {
    lock.lock();
    try {
      var cell = findUnlocked(counter, key, hash);
      if (cell == null) return;
      // A stuck cell is unlinked as it is: a reset makes its counter usable again.
      if (!cell.isStuck()) cell.retire();
      unlink(cell, hash);
    } finally {
      lock.unlock();
    }
  }

  /** Removes cells whose states became fresh more than {@link #GRACE} ago, and may shrink. */
  void sweep(long now) {
    lock.lock();
    try {
      for (int i = 0; i < chains().length; i++) sweepChain(i, now);
      int wanted = Math.max(MIN_CHAINS, Integer.highestOneBit(Math.max(1, size)) * 2);
      if (wanted <= chains().length / 4) resize(wanted);
    } finally {
      lock.unlock();
    }
  }

  private Cell add(Cell cell, int hash, long now) {
    sweepChain(nextChain(), now); // bounds the number of stale cells if the sweeper is late
    while (size >= maxCells && evictOne(now)) {}
    evictFromLongChain(hash, now);
    if (size >= chains().length) resize(chains().length * 2);
    int slot = slot(hash);
    cell.next = chain(slot);
    SLOT.setVolatile(chains(), slot, cell);
    size++;
    return cell;
  }

  private void sweepChain(int slot, long now) {
    long freshBy = now - GRACE;
    for (var cell = chain(slot); cell != null; cell = cell.next) {
      if (cell.isUnused()) continue;
      var state = cell.read();
      if (state == null || cell.freshAt(state) > freshBy) continue; // a locked cell is in use
      if (cell.tryRetireIfFresh(freshBy)) unlink(cell, slot);
    }
  }

  /**
   * Evicts one cell; returns false if all cells are unused and must stay, or the victim is in use
   * now. The next insertion then evicts two.
   */
  private boolean evictOne(long now) {
    var selector = new VictimSelector(now);
    for (int i = 0; i < chains().length && !selector.isDone(); i++) {
      selector.sample(chain(nextChain()));
    }
    return selector.evict();
  }

  /**
   * Evicts a cell from a chain that has reached the maximum length, which bounds the time of a
   * lookup. Random keys practically never make such a chain, and chosen keys can't without the
   * secret key of the hash.
   */
  private void evictFromLongChain(int hash, long now) {
    int length = 0;
    for (var cell = chain(slot(hash)); cell != null; cell = cell.next) length++;
    if (length < MAX_CHAIN_LENGTH) return;
    var selector = new VictimSelector(now);
    selector.sample(chain(slot(hash)));
    selector.evict();
  }

  /**
   * Selects the victim among sampled cells. Prefers a cell that was not refused, then the lowest
   * utilization, then the one that becomes fresh first.
   */
  private final class VictimSelector {
    private final long now;
    private @Nullable Cell victim;
    private boolean refused = true;
    private long used = Long.MAX_VALUE;
    private long freshAt = Long.MAX_VALUE;
    private int sampled;

    VictimSelector(long now) {
      this.now = now;
    }

    void sample(@Nullable Cell chain) {
      for (var cell = chain; cell != null; cell = cell.next) {
        if (cell.isUnused()) continue;
        var state = cell.read();
        if (state == null) continue; // a locked cell is in use
        sampled++;
        long cellUsed = state.used(now);
        boolean cellRefused = cellUsed > 0 && cell.isRefused();
        if (isBetterVictim(cellRefused, cellUsed, cell.freshAt(state))) {
          victim = cell;
          refused = cellRefused;
          used = cellUsed;
          freshAt = cell.freshAt(state);
        }
      }
    }

    private boolean isBetterVictim(boolean cellRefused, long cellUsed, long cellFreshAt) {
      if (cellRefused != refused) return refused;
      if (cellUsed != used) return cellUsed < used;
      return cellFreshAt < freshAt;
    }

    boolean isDone() {
      return sampled >= (used <= LOW_UTILIZATION && !refused ? MIN_SAMPLE : MAX_SAMPLE);
    }

    /** Evicts the victim; returns false if there is none, or it is in use now. */
    boolean evict() {
      if (victim == null || !victim.tryRetire()) return false;
      unlink(victim, Charge.hashOf(victim.counter, victim.key));
      return true;
    }
  }

  /**
   * Removes a cell from its chain. It keeps its own link, for concurrent readers that are at it.
   */
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

  /**
   * Rehashes into {@code length} chains. Every cell is appended to the end of its new chain, so
   * that no link ever closes a cycle under concurrent readers.
   */
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

  private int nextChain() {
    hand = slot(hand + 1);
    return hand;
  }
}
