package io.headgate.server.store;

import java.io.ObjectInputFilter;

/**
 * Refuses Java deserialization of all classes but those that the grid's own messages need. The
 * store's messages have a format of their own, which names no classes.
 */
final class SerialFilter {
  private static final String PATTERN =
      "maxdepth=20;maxrefs=100000;maxbytes=16777216;maxarray=1000000;"
          + "com.tangosol.**;com.oracle.coherence.**;"
          + "java.lang.Boolean;java.lang.Byte;java.lang.Character;java.lang.Double;java.lang.Enum;"
          + "java.lang.Float;java.lang.Integer;java.lang.Long;java.lang.Number;java.lang.Short;"
          + "java.lang.String;java.lang.Object;java.lang.StackTraceElement;java.lang.*Exception;"
          + "java.lang.Throwable;java.util.*;java.net.Inet*;!*";

  private SerialFilter() {}

  /** Sets the filter of this process, unless it has one. */
  static void install() {
    if (ObjectInputFilter.Config.getSerialFilter() == null) {
      ObjectInputFilter.Config.setSerialFilter(ObjectInputFilter.Config.createFilter(PATTERN));
    }
  }
}
