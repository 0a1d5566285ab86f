package io.headgate;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * A constant that is created before another one of its class, which it needs, has null in its
 * place. So the fields of every constant must have a value, unless they are nullable.
 */
class ConstantsTest {
  @Test
  void everyConstantIsComplete() throws Exception {
    var missing = new ArrayList<String>();
    int constants = 0;
    for (var type : classes()) {
      for (var field : type.getDeclaredFields()) {
        if (!isConstant(field)) continue;
        field.setAccessible(true);
        var value = field.get(null);
        constants++;
        if (value == null) missing.add(field.toString());
        else addMissing(field, value, missing);
      }
    }
    assertThat(constants).isGreaterThan(50);
    assertThat(missing).isEmpty();
  }

  private static boolean isConstant(Field field) {
    int modifiers = field.getModifiers();
    return Modifier.isStatic(modifiers)
        && Modifier.isFinal(modifiers)
        && !field.getType().isPrimitive()
        && !field.getAnnotatedType().isAnnotationPresent(Nullable.class);
  }

  private static void addMissing(Field constant, Object value, List<String> missing)
      throws IllegalAccessException {
    for (Class<?> type = value.getClass();
        type != null && type.getName().startsWith("io.headgate.");
        type = type.getSuperclass()) {
      for (var field : type.getDeclaredFields()) {
        if (Modifier.isStatic(field.getModifiers()) || field.getType().isPrimitive()) continue;
        if (field.getAnnotatedType().isAnnotationPresent(Nullable.class)) continue;
        field.setAccessible(true);
        if (field.get(value) == null) missing.add(constant + " has no " + field.getName());
      }
    }
  }

  /** Returns the classes of this module, each initialized. */
  private static List<Class<?>> classes() throws Exception {
    var root =
        Path.of(RateLimiter.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    try (Stream<Path> files = Files.walk(root)) {
      var all = new ArrayList<Class<?>>();
      for (var file : files.sorted().toList()) {
        var name =
            root.relativize(file).toString().replace(file.getFileSystem().getSeparator(), ".");
        if (!name.endsWith(".class") || name.endsWith("-info.class")) continue;
        var type = name.substring(0, name.length() - ".class".length());
        all.add(Class.forName(type, true, RateLimiter.class.getClassLoader()));
      }
      return all;
    }
  }
}
