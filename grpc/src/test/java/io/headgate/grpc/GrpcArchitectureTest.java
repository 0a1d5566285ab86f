package io.headgate.grpc;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

/** Checks what the interceptors depend on. */
class GrpcArchitectureTest {
  @Test
  void interceptorsDependOnTheLibraryTheClientAndGrpcOnly() {
    var all =
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.headgate.grpc");
    classes()
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "org.jspecify.annotations",
            "io.grpc..",
            "com.google.rpc",
            "com.google.protobuf",
            "io.headgate",
            "io.headgate.client",
            "io.headgate.load",
            "io.headgate.rule",
            "io.headgate.store",
            "io.headgate.grpc")
        .check(all);
  }
}
