package io.headgate.server.simulation;

import java.util.Arrays;
import java.util.List;

/**
 * The arrivals of several tenants, each at a constant rate.
 *
 * @param times in ascending order, in microseconds from the start
 * @param tenants the number of the tenant of each arrival, from 0
 * @param count the number of tenants
 * @param isTruncated whether arrivals were left out because there were too many
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record TenantArrivals(long[] times, int[] tenants, int count, boolean isTruncated) {
  public static final int MAX_TENANTS = 100;
  private static final double SECOND = 1_000_000;
  private static final int TENANT_BITS = 7;

  /**
   * Generates the arrivals. The tenants start one after the other within their first interval, so
   * that they do not all arrive at the same time.
   *
   * @param perSecond the rate of each tenant, at most {@link #MAX_TENANTS}
   * @param end the end of the simulation, in microseconds
   * @throws Deadline.Overdue if the deadline has passed
   */
  public static TenantArrivals of(List<Long> perSecond, long end, Deadline deadline) {
    var arrivals = new long[1_024];
    int count = 0;
    boolean truncated = false;
    for (int tenant = 0; tenant < perSecond.size(); tenant++) {
      long rate = perSecond.get(tenant);
      double offset = (tenant + 1.0) / (perSecond.size() + 1);
      double interval = SECOND / rate; // infinite for a tenant without requests
      for (long time = (long) (offset * interval), i = 1; time < end; i++) {
        deadline.check(count);
        if (count == Arrivals.MAX_ARRIVALS) {
          truncated = true;
          break;
        }
        if (count == arrivals.length) arrivals = Arrays.copyOf(arrivals, 2 * count);
        arrivals[count++] = time << TENANT_BITS | tenant;
        time = (long) ((i + offset) * interval);
      }
    }
    Arrays.sort(arrivals, 0, count);
    var times = new long[count];
    var tenants = new int[count];
    for (int i = 0; i < count; i++) {
      times[i] = arrivals[i] >> TENANT_BITS;
      tenants[i] = (int) (arrivals[i] & (1 << TENANT_BITS) - 1);
    }
    return new TenantArrivals(times, tenants, perSecond.size(), truncated);
  }

  /** Returns all arrivals as those of a single caller. */
  static TenantArrivals ofOne(long[] times) {
    return new TenantArrivals(times, new int[times.length], 1, false);
  }
}
