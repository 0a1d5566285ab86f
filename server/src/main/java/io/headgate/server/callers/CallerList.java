package io.headgate.server.callers;

import java.util.List;

/**
 * The callers that ask most, of one instance or of several.
 *
 * @param atMillis up to when
 * @param instances how many of them are in it
 * @param floor who is not listed has asked no more than this
 * @param total all that was asked, by whomever; like all weights, of the last while
 * @param callers in no order
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
