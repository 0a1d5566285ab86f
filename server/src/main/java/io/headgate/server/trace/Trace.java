package io.headgate.server.trace;

import io.headgate.CheckResult;
import java.util.List;

/** One request that is followed. It is used by one thread at a time, and ends once. */
public interface Trace {
  /** A request that nobody follows. */
  Trace NONE = new NoopTrace();

  /** A store elsewhere is about to be asked; {@code decided} says that it was. */
  void asks(int questions);

  /**
   * One decision that speaks for the request.
   *
   * @param waited whether it was not there at once
   */
  void decided(CheckResult result, boolean waited);

  /** Decisions of which none speaks for the others. */
  void decided(List<CheckResult> results, boolean waited);

  /** The request was answered by HTTP. */
  void answered(int status);

  /**
   * The call was answered by gRPC.
   *
   * @param status its name, such as {@code OK}
   */
  void returned(String status);

  /** The client did not wait for its answer. */
  void gone();
}
