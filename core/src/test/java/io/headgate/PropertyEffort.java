package io.headgate;

import net.jqwik.api.lifecycle.AroundPropertyHook;
import net.jqwik.api.lifecycle.PropagationMode;
import net.jqwik.api.lifecycle.PropertyExecutionResult;
import net.jqwik.api.lifecycle.PropertyExecutor;
import net.jqwik.api.lifecycle.PropertyLifecycleContext;

/**
 * Tries each property half as often as it states, unless the effort is thorough: many tries take
 * most of the time of the tests. Properties of few tries, which are histories, keep their number.
 *
 * <p>The seed of a property follows from its name and from the system property {@code
 * headgate.test.seed}, so that a run fails for a change of the code only. The other modules have
 * that from the testkit.
 */
public final class PropertyEffort implements AroundPropertyHook {
  private static final int FEW = 100;

  @Override
  public PropagationMode propagateTo() {
    return PropagationMode.ALL_DESCENDANTS;
  }

  @Override
  public PropertyExecutionResult aroundProperty(
      PropertyLifecycleContext context, PropertyExecutor property) {
    var attributes = context.attributes();
    attributes
        .tries()
        .filter(tries -> tries > FEW)
        .ifPresent(tries -> attributes.setTries(TestEffort.of(Math.max(FEW, tries / 2), tries)));
    if (attributes.seed().isEmpty()) {
      var seed = System.getProperty("headgate.test.seed", "") + context.label();
      attributes.setSeed(Integer.toString(seed.hashCode()));
    }
    return property.execute();
  }
}
