package io.headgate.store;

/**
 * Is notified when an instance begins and ends to drop requests of a backend, and when it changes a
 * rate that follows a signal. Must not block.
 */
@FunctionalInterface
public interface LevelListener {
  /** A listener that ignores all notifications. */
  LevelListener NONE = level -> {};

  /**
   * Called when the level of a backend rises above 0, when it returns to 0, and when its rate has
   * changed by a tenth or more since the last call.
   *
   * @param level the new level, with the signal that caused it
   */
  void onChange(BackendLevel level);
}
