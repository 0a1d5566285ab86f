package io.headgate.cluster;

import com.tangosol.net.CacheFactory;
import com.tangosol.net.Member;

/** The members that the grid of this process has marked as not responding. */
final class GridMarks {
  private GridMarks() {}

  static long count() {
    long count = 0;
    for (var member : CacheFactory.getCluster().getMemberSet()) {
      if (isMarked(member)) count++;
    }
    return count;
  }

  /** The grid exports no interface to its marks. */
  private static boolean isMarked(Member member) {
    try {
      return (boolean) member.getClass().getMethod("isDeaf").invoke(member);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(e);
    }
  }
}
