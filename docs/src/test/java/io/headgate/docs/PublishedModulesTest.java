package io.headgate.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.xml.sax.SAXException;

/**
 * Checks the POMs for the fields that Maven Central demands of each published module. {@code
 * bin/check-release} checks the artifacts.
 */
class PublishedModulesTest {
  /** A module that is not published sets all of these. */
  private static final List<String> SKIPPED =
      List.of("maven.deploy.skip", "maven.source.skip", "maven.javadoc.skip", "cyclonedx.skip");

  private static final Pattern PROJECT_ADDRESS =
      Pattern.compile("(?:https://|@)github\\.com[/:]headgate(/[\\w-]+)?");

  /** The directory and the POM of one module. */
  private record Module(String name, Element pom) {
    static Module read(String name) {
      try {
        var builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
        var file = Markdown.ROOT.resolve(name).resolve("pom.xml").toFile();
        return new Module(name, builder.parse(file).getDocumentElement());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (ParserConfigurationException | SAXException e) {
        throw new IllegalStateException(name + "/pom.xml can't be read", e);
      }
    }

    /** Returns the text of an element, such as {@code scm/url}, or an empty text. */
    String text(String path) {
      Node node = pom;
      for (var step : path.split("/", -1)) {
        var next = node.getFirstChild();
        while (next != null && !step.equals(next.getNodeName())) next = next.getNextSibling();
        if (next == null) return "";
        node = next;
      }
      return node.getTextContent().strip();
    }

    boolean isPublished() {
      return !text("properties/maven.deploy.skip").equals("true");
    }

    boolean hasParent() {
      return !text("parent/artifactId").isEmpty();
    }

    /** Returns the text of an element of the module or, if it has none, of its parent. */
    String inherited(String path) {
      var own = text(path);
      return own.isEmpty() && hasParent() ? PARENT.text(path) : own;
    }

    @Override
    public String toString() {
      return name;
    }
  }

  private static final Module PARENT = Module.read(".");

  static Stream<Module> modules() {
    var names = PARENT.pom.getElementsByTagName("module");
    return Stream.iterate(0, i -> i < names.getLength(), i -> i + 1)
        .map(i -> Module.read(names.item(i).getTextContent()));
  }

  static Stream<Module> published() {
    return Stream.concat(Stream.of(PARENT), modules().filter(Module::isPublished));
  }

  @ParameterizedTest
  @MethodSource("published")
  void publishedModuleHasTheFieldsThatMavenCentralDemands(Module module) {
    assertThat(module.text("name")).isNotEmpty();
    assertThat(module.text("description")).isNotEmpty();
    for (var path :
        List.of(
            "url",
            "licenses/license/name",
            "licenses/license/url",
            "developers/developer/name",
            "developers/developer/url",
            "scm/connection",
            "scm/developerConnection",
            "scm/url")) {
      assertThat(module.inherited(path)).as("%s", path).isNotEmpty();
    }
    assertThat(module.pom.getElementsByTagName("repository").getLength()).isZero();
    assertThat(module.pom.getElementsByTagName("systemPath").getLength()).isZero();
  }

  @ParameterizedTest
  @MethodSource("published")
  void publishedModuleHasAModuleName(Module module) throws IOException {
    if (module.text("packaging").equals("pom")) return;
    var directory = Markdown.ROOT.resolve(module.name());
    if (Files.exists(directory.resolve("src/main/java/module-info.java"))) return;
    assertThat(Files.readString(directory.resolve("pom.xml")))
        .containsPattern("<Automatic-Module-Name>io\\.headgate\\.[a-z.]+</Automatic-Module-Name>");
  }

  /** A user who installs the libraries from a clone needs neither Node nor the service. */
  @ParameterizedTest
  @MethodSource("published")
  void publishedModuleNeedsOthersForItsTestsOnly(Module module) {
    var unpublished =
        modules().filter(other -> !other.isPublished()).map(other -> other.text("artifactId"));
    var all = module.pom.getElementsByTagName("dependency");
    var used =
        Stream.iterate(0, i -> i < all.getLength(), i -> i + 1)
            .map(i -> (Element) all.item(i))
            .filter(dependency -> !isManaged(dependency) && !isOfTheProfileOfTests(dependency))
            .map(dependency -> dependency.getElementsByTagName("artifactId").item(0))
            .map(artifact -> Objects.requireNonNull(artifact).getTextContent())
            .toList();
    assertThat(used).doesNotContainAnyElementsOf(unpublished.toList());
  }

  private static boolean isManaged(Element dependency) {
    return dependency.getParentNode().getParentNode().getNodeName().equals("dependencyManagement");
  }

  private static boolean isOfTheProfileOfTests(Element dependency) {
    var profile = dependency.getParentNode().getParentNode();
    return profile.getNodeName().equals("profile")
        && profile.getTextContent().contains("!maven.test.skip");
  }

  @Test
  void otherModulesPublishNothing() {
    assertThat(modules().filter(module -> !module.isPublished()))
        .isNotEmpty()
        .allSatisfy(module ->
            assertThat(SKIPPED)
                .allMatch(property -> module.text("properties/" + property).equals("true")));
  }

  @Test
  void bomListsThePublishedArtifacts() {
    var managed = Module.read("bom").pom.getElementsByTagName("artifactId");
    var listed =
        Stream.iterate(0, i -> i < managed.getLength(), i -> i + 1)
            .map(i -> managed.item(i).getTextContent())
            // The others are plugins.
            .filter(
                artifact -> artifact.startsWith("headgate-") && !artifact.equals("headgate-bom"));
    var published =
        modules()
            .filter(module -> module.isPublished() && !module.name().equals("bom"))
            .map(module -> module.text("artifactId"))
            .toList();
    assertThat(listed).containsExactlyInAnyOrderElementsOf(published);
  }

  @Test
  void modulesInheritTheAddressesOfTheProjectAsTheyAre() {
    assertThat(PARENT.pom.getAttribute("child.project.url.inherit.append.path")).isEqualTo("false");
    var scm = (Element) Objects.requireNonNull(PARENT.pom.getElementsByTagName("scm").item(0));
    for (var address : List.of("connection", "developerConnection", "url")) {
      assertThat(scm.getAttribute("child.scm." + address + ".inherit.append.path"))
          .isEqualTo("false");
    }
  }

  @Test
  void projectHasOneAddress() throws IOException {
    var address = PARENT.text("url");
    for (var file :
        List.of("pom.xml", "bom/pom.xml", "deploy/helm/headgate/Chart.yaml", "clients/go/go.mod")) {
      var text = Files.readString(Markdown.ROOT.resolve(Path.of(file)));
      assertThat(PROJECT_ADDRESS.matcher(text.replace("module github", "https://github")).results())
          .as(file)
          .isNotEmpty()
          .allMatch(found ->
              found.group(1) == null || address.endsWith("github.com/headgate" + found.group(1)));
    }
  }
}
