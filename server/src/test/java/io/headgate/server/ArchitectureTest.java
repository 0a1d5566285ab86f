package io.headgate.server;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameStartingWith;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.headgate.RateLimiter;
import io.headgate.server.stats.DecisionListener;
import org.junit.jupiter.api.Test;

/** Checks the dependencies between packages and on libraries. */
class ArchitectureTest {
  private static final JavaClasses ALL =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("io.headgate");

  @Test
  void coreLayersDependDownwardsOnly() {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .layer("load")
        .definedBy("io.headgate.load")
        .layer("hash")
        .definedBy("io.headgate.internal.hash")
        .layer("bounded http")
        .definedBy("io.headgate.internal.http")
        .layer("limit")
        .definedBy("io.headgate.limit")
        .layer("rule")
        .definedBy("io.headgate.rule")
        .layer("reservation")
        .definedBy("io.headgate.reservation")
        .layer("store")
        .definedBy("io.headgate.store")
        .layer("outage")
        .definedBy("io.headgate.internal.outage")
        .layer("consistency")
        .definedBy("io.headgate.internal.consistency")
        .layer("shedding")
        .definedBy("io.headgate.internal.shedding")
        .layer("region")
        .definedBy("io.headgate.internal.region")
        .layer("script")
        .definedBy("io.headgate.internal.script")
        .layer("facade")
        .definedBy("io.headgate")
        .layer("rulefile")
        .definedBy("io.headgate.rulefile")
        .layer("redis")
        .definedBy("io.headgate.redis..")
        .layer("http")
        .definedBy("io.headgate.http")
        .layer("cluster")
        .definedBy("io.headgate.cluster..")
        .layer("server")
        .definedBy("io.headgate.server..")
        .whereLayer("hash")
        .mayNotAccessAnyLayer()
        .whereLayer("bounded http")
        .mayNotAccessAnyLayer()
        .whereLayer("load")
        .mayNotAccessAnyLayer()
        .whereLayer("limit")
        .mayOnlyAccessLayers("hash", "load")
        .whereLayer("rule")
        .mayOnlyAccessLayers("hash", "load", "limit")
        .whereLayer("reservation")
        .mayOnlyAccessLayers("limit", "rule")
        .whereLayer("store")
        .mayOnlyAccessLayers("load", "limit", "rule", "reservation")
        .whereLayer("outage")
        .mayOnlyAccessLayers("load", "limit", "rule", "store")
        .whereLayer("consistency")
        .mayOnlyAccessLayers("load", "limit", "rule", "store")
        .whereLayer("shedding")
        .mayOnlyAccessLayers("load", "limit", "rule", "store")
        .whereLayer("region")
        .mayOnlyAccessLayers("load", "limit", "rule", "reservation", "store", "consistency")
        .whereLayer("script")
        .mayOnlyAccessLayers(
            "hash", "load", "limit", "rule", "reservation", "store", "outage", "consistency")
        .whereLayer("facade")
        .mayOnlyAccessLayers("load", "limit", "rule", "reservation", "store", "shedding")
        .whereLayer("rulefile")
        .mayOnlyAccessLayers("load", "limit", "rule")
        .whereLayer("redis")
        .mayOnlyAccessLayers(
            "bounded http",
            "load",
            "limit",
            "rule",
            "reservation",
            "store",
            "outage",
            "consistency",
            "region",
            "script")
        .whereLayer("cluster")
        .mayOnlyAccessLayers(
            "load", "limit", "rule", "reservation", "store", "outage", "consistency", "script")
        .whereLayer("http")
        .mayOnlyAccessLayers("facade", "load", "limit", "rule", "store", "rulefile")
        .whereLayer("server")
        .mayNotBeAccessedByAnyLayer()
        .check(ALL);
  }

  @Test
  void coreDependsOnTheJdkOnly() {
    classes()
        .that()
        .resideInAnyPackage(
            "io.headgate",
            "io.headgate.limit",
            "io.headgate.load",
            "io.headgate.rule",
            "io.headgate.reservation",
            "io.headgate.store",
            "io.headgate.internal.hash",
            "io.headgate.internal.http",
            "io.headgate.internal.outage",
            "io.headgate.internal.consistency",
            "io.headgate.internal.region",
            "io.headgate.internal.script",
            "io.headgate.internal.shedding")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage(
            "java..",
            "javax.crypto..",
            "org.jspecify.annotations",
            "io.headgate",
            "io.headgate.limit",
            "io.headgate.load",
            "io.headgate.rule",
            "io.headgate.reservation",
            "io.headgate.store",
            "io.headgate.internal.hash",
            "io.headgate.internal.http",
            "io.headgate.internal.outage",
            "io.headgate.internal.consistency",
            "io.headgate.internal.region",
            "io.headgate.internal.script",
            "io.headgate.internal.shedding")
        .check(ALL);
  }

  @Test
  void httpDependsOnNoServer() {
    classes()
        .that()
        .resideInAPackage("io.headgate.http")
        .should()
        .onlyDependOnClassesThat()
        .resideInAnyPackage("java..", "org.jspecify.annotations", "io.headgate..")
        .check(ALL);
  }

  @Test
  void onlyTheRedisStoreDependsOnLettuce() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.headgate.redis..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.lettuce..")
        .check(ALL);
  }

  @Test
  void onlyTheClusterStoreDependsOnTheGrid() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.headgate.cluster.internal")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("com.tangosol..", "com.oracle..")
        .check(ALL);
  }

  @Test
  void onlyTheRuleRepositoryDependsOnDatabases() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.headgate.server.rules.database")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "java.sql..",
            "org.jdbi..",
            "com.zaxxer..",
            "org.flywaydb..",
            "org.h2..",
            "org.postgresql..")
        .check(ALL);
  }

  @Test
  void packagesAreFreeOfCycles() {
    slices()
        .matching("io.headgate.(**)")
        .should()
        .beFreeOfCycles()
        .ignoreDependency(
            resideInAPackage("io.headgate.redis.internal.."),
            resideInAPackage("io.headgate.redis")) // options of the public API
        .check(ALL);
  }

  @Test
  void serverPackagesAreIndependent() {
    noClasses()
        .that()
        .resideInAnyPackage("io.headgate.server.http..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.headgate.server", "io.headgate.server.cli..")
        .check(ALL);
    noClasses()
        .that()
        .resideInAnyPackage("io.headgate.server.cli..", "io.headgate.server.rules..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.vertx..", "io.netty..")
        .check(ALL);
  }

  @Test
  void protocolsDoNotDependOnEachOther() {
    noClasses()
        .that()
        .resideInAnyPackage("io.headgate.server.http..", "io.headgate.server.check..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.headgate.server.grpc..", "io.vertx.grpc..", "com.google.protobuf..")
        .check(ALL);
    noClasses()
        .that()
        .resideInAnyPackage("io.headgate.server.check..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.headgate.server", "io.headgate.server.cli..", "io.headgate.server.http..")
        .check(ALL);
    noClasses()
        .that()
        .resideInAnyPackage("io.headgate.server.grpc..")
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(
                    "io.headgate.server",
                    "io.headgate.server.cli..",
                    "io.headgate.server.rules..",
                    "io.headgate.server.http..")
                .and(not(resideInAPackage("io.headgate.server.http.transport"))))
        .check(ALL);
  }

  @Test
  void quotasDoNotDependOnAProtocol() {
    noClasses()
        .that()
        .resideInAnyPackage("io.headgate.server.quota..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.headgate.server",
            "io.headgate.server.http..",
            "io.headgate.server.grpc..",
            "io.headgate.server.cli..",
            "io.vertx..",
            "io.netty..",
            "com.google.protobuf..")
        .check(ALL);
  }

  /** Both protocols decide through one class, so that decisions are counted and traced alike. */
  @Test
  void protocolsDecideThroughTheCheckService() {
    noClasses()
        .that()
        .resideInAnyPackage("io.headgate.server.http..", "io.headgate.server.grpc..")
        .should()
        .callMethodWhere(
            target(owner(equivalentTo(RateLimiter.class))).and(target(nameStartingWith("check"))))
        .orShould()
        .dependOnClassesThat(equivalentTo(DecisionListener.class))
        .check(ALL);
  }

  @Test
  void statisticsDoNotDependOnRequestHandlers() {
    noClasses()
        .that()
        .resideInAnyPackage(
            "io.headgate.server.counts..",
            "io.headgate.server.stats..",
            "io.headgate.server.callers..",
            "io.headgate.server.anomaly..",
            "io.headgate.server.metrics..",
            "io.headgate.server.trace..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.headgate.server",
            "io.headgate.server.http..",
            "io.headgate.server.grpc..",
            "io.headgate.server.cli..",
            "io.vertx..",
            "io.netty..")
        .check(ALL);
  }

  @Test
  void onlyMetricsDependOnPrometheus() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.headgate.server.metrics")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.micrometer..", "io.prometheus..")
        .check(ALL);
  }

  @Test
  void onlyTracesDependOnOpenTelemetry() {
    noClasses()
        .that()
        .resideOutsideOfPackage("io.headgate.server.trace")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("io.opentelemetry..")
        .check(ALL);
  }

  @Test
  void simulationsDoNotDependOnLiveState() {
    noClasses()
        .that()
        .resideInAnyPackage("io.headgate.server.simulation..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "io.headgate.server",
            "io.headgate.server.http..",
            "io.headgate.server.grpc..",
            "io.headgate.server.cli..",
            "io.headgate.redis..",
            "io.headgate.cluster..",
            "io.vertx..",
            "io.netty..",
            "java.nio.file..")
        .check(ALL);
  }

  /** A simple class name is unambiguous in messages and stack traces. */
  @Test
  void simpleClassNamesAreUnique() {
    var topLevel = ALL.stream().filter(JavaClass::isTopLevelClass);
    var shipped = topLevel.filter(c -> !c.getPackageName().endsWith(".proto"));
    var byName =
        shipped.collect(
            groupingBy(JavaClass::getSimpleName, mapping(JavaClass::getName, toList())));
    byName.remove("package-info");
    byName.values().removeIf(classes -> classes.size() == 1);
    assertThat(byName).isEmpty();
  }

  @Test
  void everyPackageIsCovered() {
    assertThat(ALL.stream().map(c -> c.getPackageName()).distinct())
        .contains(
            "io.headgate",
            "io.headgate.limit",
            "io.headgate.load",
            "io.headgate.rule",
            "io.headgate.reservation",
            "io.headgate.store",
            "io.headgate.internal.consistency",
            "io.headgate.rulefile",
            "io.headgate.redis",
            "io.headgate.http",
            "io.headgate.cluster",
            "io.headgate.server",
            "io.headgate.server.http",
            "io.headgate.server.grpc",
            "io.headgate.server.rules",
            "io.headgate.server.rules.database",
            "io.headgate.server.store",
            "io.headgate.server.counts",
            "io.headgate.server.stats",
            "io.headgate.server.callers",
            "io.headgate.server.anomaly",
            "io.headgate.server.api",
            "io.headgate.server.check",
            "io.headgate.server.http.check",
            "io.headgate.server.metrics",
            "io.headgate.server.trace",
            "io.headgate.server.simulation",
            "io.headgate.server.simulation.accesslog",
            "io.headgate.server.dashboard",
            "io.headgate.server.cli");
  }
}
