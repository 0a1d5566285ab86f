package io.headgate.testkit;

import net.jqwik.api.lifecycle.AroundPropertyHook;
import net.jqwik.api.lifecycle.PropagationMode;
import net.jqwik.api.lifecycle.PropertyExecutionResult;
import net.jqwik.api.lifecycle.PropertyExecutor;
import net.jqwik.api.lifecycle.PropertyLifecycleContext;

/**
 * Gives each property of jqwik a seed that follows from its name and from the system property
 * {@value #PROPERTY}, so that a run fails for a change of the code only. The build sets the system
 * property to the version; {@code ./verify --thorough} draws another value and prints it. jqwik
 * finds this class by {@code META-INF/services}.
 */
public final class FixedSeeds implements AroundPropertyHook {
  static final String PROPERTY = "headgate.test.seed";

  @Override
  public PropagationMode propagateTo() {
    return PropagationMode.ALL_DESCENDANTS;
  }

  @Override
  public PropertyExecutionResult aroundProperty(
      PropertyLifecycleContext context, PropertyExecutor property) {
    var attributes = context.attributes();
    if (attributes.seed().isEmpty()) {
      var seed = System.getProperty(PROPERTY, "") + context.label();
      attributes.setSeed(Integer.toString(seed.hashCode()));
    }
    return property.execute();
  }
}
