package io.headgate.server.callers;

import java.util.List;

/**
 * The top callers of one instance or of several.
 *
 * @param atMillis end of the counted period
 * @param instances number of instances included
 * @param tracked number of callers tracked
 * @param floor maximum weight of a caller that is not listed
 * @param total weight of all checks, listed or not; like all weights it decays with time
 * @param callers in no particular order
 */
public record CallerList(
    long atMillis,
    int instances,
    int tracked,
    double floor,
    double total,
    List<CallerStats> callers) {
  public static final int WINDOW_SECONDS = TopCallers.WINDOW_SECONDS;

  public CallerList {
    callers = List.copyOf(callers);
  }
}
