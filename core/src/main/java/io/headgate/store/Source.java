package io.headgate.store;

/** What an answer rests on. */
public enum Source {
  /** The shared state itself. */
  STORE,
  /** Permits of it that are held here. */
  LEASE,
  /** What was known here of a state that can't have become better since. */
  LOCAL,
  /** A rule's word for the time when the store can't be asked. */
  FALLBACK
}
