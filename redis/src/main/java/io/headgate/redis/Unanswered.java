package io.headgate.redis;

import java.util.List;

/** A future whose wait may end before the reply arrives. */
interface Unanswered {
  /** The counter keys of the commands that have no reply yet. */
  List<String> unansweredKeys();
}
