package io.headgate.client;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Checks what the client depends on: the model of the library, the JDK and the JSON parser. */
class ClientArchitectureTest {
  private static final JavaClasses ALL =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.headgate.client");

  @Test
  void clientDependsOnTheModelAndTheJsonParserOnly() {
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "javax.net.ssl",
            "org.jspecify.annotations",
            "com.fasterxml.jackson.core..",
            "io.headgate",
            "io.headgate.internal.http",
            "io.headgate.load",
            "io.headgate.rule",
            "io.headgate.store",
            "io.headgate.client..")
        .check(ALL);
  }
}
