package io.headgate.testkit;

import net.jqwik.api.lifecycle.AroundPropertyHook;
import net.jqwik.api.lifecycle.PropagationMode;
import net.jqwik.api.lifecycle.PropertyExecutionResult;
import net.jqwik.api.lifecycle.PropertyExecutor;
import net.jqwik.api.lifecycle.PropertyLifecycleContext;

/**
 * Gives each property of jqwik the {@link ReleaseSeed} of its name. jqwik finds this class by
 * {@code META-INF/services}.
 */
public final class FixedSeeds implements AroundPropertyHook {
  @Override
  public PropagationMode propagateTo() {
    return PropagationMode.ALL_DESCENDANTS;
  }

  @Override
  public PropertyExecutionResult aroundProperty(
      PropertyLifecycleContext context, PropertyExecutor property) {
    var attributes = context.attributes();
    if (attributes.seed().isEmpty()) {
      attributes.setSeed(Integer.toString(ReleaseSeed.of(context.label())));
    }
    return property.execute();
  }
}
