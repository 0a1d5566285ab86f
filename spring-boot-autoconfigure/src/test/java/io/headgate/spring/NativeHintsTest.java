package io.headgate.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.reflection;
import static org.springframework.aot.hint.predicate.RuntimeHintsPredicates.resource;

import io.headgate.spring.method.HeadgateMethodAutoConfiguration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.ClassNameGenerator;
import org.springframework.aot.generate.DefaultGenerationContext;
import org.springframework.aot.generate.GeneratedFiles.Kind;
import org.springframework.aot.generate.InMemoryGeneratedFiles;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.AnnotationConfigUtils;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.javapoet.ClassName;

/** Processes an application ahead of time, as far as that is possible without GraalVM. */
class NativeHintsTest {
  /** A bean with a limited method and a fallback. */
  static class Mails {
    @Limited(rule = "2/1m", key = "#to", fallback = "tooMany")
    public String send(String to) {
      return "sent to " + to;
    }

    String tooMany(String to) {
      return "not sent to " + to;
    }
  }

  @Configuration(proxyBeanMethods = false)
  static class Application {
    @Bean
    Mails mails() {
      return new Mails();
    }
  }

  private static RuntimeHints registered() {
    var hints = new RuntimeHints();
    var loader = NativeHintsTest.class.getClassLoader();
    SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories", loader)
        .load(RuntimeHintsRegistrar.class)
        .stream()
        .filter(registrar -> registrar.getClass().getName().startsWith("io.headgate."))
        .forEach(registrar -> registrar.registerHints(hints, loader));
    return hints;
  }

  @Test
  void rulesAndScriptsAreKept() throws IOException {
    var hints = registered();
    assertThat(resource().forResource("headgate.yaml")).accepts(hints);
    var lua = Path.of("../redis/src/main/resources/io/headgate/redis/lua");
    try (var scripts = Files.list(lua)) {
      assertThat(scripts.map(script -> "io/headgate/redis/lua/" + script.getFileName()))
          .isNotEmpty()
          .allSatisfy(script -> assertThat(resource().forResource(script)).accepts(hints));
    }
  }

  @Test
  void fieldsOfVariableHandlesAreKept() throws ReflectiveOperationException {
    var hints = registered();
    for (var field : new String[][] {{"WordCell", "word"}, {"StateCell", "status"}}) {
      var type = Class.forName("io.headgate.store." + field[0]);
      assertThat(reflection().onFieldAccess(type.getDeclaredField(field[1]))).accepts(hints);
    }
  }

  @Test
  void applicationIsProcessedAheadOfTime() throws ReflectiveOperationException {
    var context = new GenericApplicationContext();
    AnnotationConfigUtils.registerAnnotationConfigProcessors(context);
    TestPropertyValues.of("headgate.store=memory").applyTo(context);
    for (var type :
        Arrays.asList(
            Application.class,
            HeadgateAutoConfiguration.class,
            HeadgateRedisAutoConfiguration.class,
            HeadgateMethodAutoConfiguration.class)) {
      context.registerBean(type);
    }
    var files = new InMemoryGeneratedFiles();
    var generation =
        new DefaultGenerationContext(
            new ClassNameGenerator(ClassName.get(NativeHintsTest.class)), files);
    new ApplicationContextAotGenerator().processAheadOfTime(context, generation);
    generation.writeGeneratedContent();

    assertThat(files.getGeneratedFiles(Kind.SOURCE).keySet())
        .anyMatch(file -> file.contains("HeadgateAutoConfiguration__BeanDefinitions"));
    var hints = generation.getRuntimeHints();
    assertThat(resource().forResource("headgate.yaml")).accepts(hints);
    assertThat(
            reflection().onMethodInvocation(Mails.class.getDeclaredMethod("tooMany", String.class)))
        .accepts(hints);
    assertThat(reflection().onType(HeadgateProperties.Web.class)).accepts(hints);
  }
}
