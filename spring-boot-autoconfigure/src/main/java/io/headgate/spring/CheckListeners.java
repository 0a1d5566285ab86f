package io.headgate.spring;

import io.headgate.http.CheckListener;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;

/** Combines the listeners of an application. */
public final class CheckListeners {
  /** Returns a listener that calls all beans in their order. */
  public static CheckListener of(ObjectProvider<CheckListener> beans) {
    List<CheckListener> all = beans.orderedStream().toList();
    return switch (all.size()) {
      case 0 -> CheckListener.NONE;
      case 1 -> all.getFirst();
      default ->
          (request, result, nanos) -> {
            for (var listener : all) listener.checked(request, result, nanos);
          };
    };
  }

  private CheckListeners() {}
}
