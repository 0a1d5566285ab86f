package io.headgate.server.trace;

import io.headgate.Verdict;
import java.util.List;

final class None implements Trace {
  @Override
  public void asks(int questions) {}

  @Override
  public void decided(Verdict verdict, boolean waited) {}

  @Override
  public void decided(List<Verdict> verdicts, boolean waited) {}

  @Override
  public void answered(int status) {}

  @Override
  public void returned(String status) {}

  @Override
  public void gone() {}
}
