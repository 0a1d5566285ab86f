package io.headgate.spring;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.stream.Collectors.counting;
import static java.util.stream.Collectors.groupingBy;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Checks the dependencies of the modules for Java applications. */
class SpringArchitectureTest {
  private static final JavaClasses ALL =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.headgate");

  @Test
  void servletFilterDependsOnTheServletApiOnly() {
    classes()
        .that()
        .resideInAPackage("io.headgate.servlet")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "jakarta.servlet..",
            "org.jspecify.annotations",
            "io.headgate",
            "io.headgate.http",
            "io.headgate.load",
            "io.headgate.rule",
            "io.headgate.servlet",
            "io.headgate.store")
        .check(ALL);
  }

  @Test
  void onlyTheirPackagesDependOnOptionalLibraries() {
    requireOnly("io.headgate.spring.mvc", "jakarta.servlet..", "org.springframework.web.servlet..");
    requireOnly("io.headgate.spring.webflux", "org.springframework.web.reactive..");
    requireOnly(
        "io.headgate.spring.actuate",
        "io.micrometer.core..",
        "org.springframework.boot.health..",
        "org.springframework.boot.actuate..");
    requireOnly(
        "io.headgate.spring.observation", "io.micrometer.observation..", "io.micrometer.common..");
    requireOnly("io.headgate.spring.service", "io.headgate.client..");
    requireOnly("io.headgate.spring.test", "org.springframework.boot.test..");
    requireOnly("io.headgate.spring.gateway", "org.springframework.cloud..");
    requireOnly("io.headgate.spring.method", "org.springframework.aop..", "org.aopalliance..");
  }

  private static void requireOnly(String owner, String... libraries) {
    noClasses()
        .that()
        .resideInAPackage("io.headgate.spring..")
        .and()
        .resideOutsideOfPackage(owner)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(libraries)
        .check(ALL);
  }

  @Test
  void basePackageDependsOnNoPackageBelowIt() {
    slices().matching("io.headgate.spring.(*)..").should().beFreeOfCycles().check(ALL);
    noClasses()
        .that()
        .resideInAPackage("io.headgate.spring")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.headgate.spring.*..")
        .check(ALL);
  }

  /** A simple class name is unambiguous in messages and stack traces. */
  @Test
  void simpleClassNamesAreUnique() {
    var counts =
        ALL.stream()
            .filter(JavaClass::isTopLevelClass)
            .filter(type -> !type.getSimpleName().equals("package-info"))
            // The service is used by tests only, and has generated classes.
            .filter(type -> !type.getPackageName().startsWith("io.headgate.server"))
            .collect(groupingBy(JavaClass::getSimpleName, counting()));
    assertThat(counts).containsKeys("HeadgateFilter", "RateLimiter", "RedisStore");
    assertThat(counts.values()).containsOnly(1L);
  }
}
