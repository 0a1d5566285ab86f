package io.headgate.server.cli.size;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/**
 * The figures that the benchmarks measured: bytes of states, and the cost of a decision. The file
 * names the commands that made them.
 */
final class MeasuredFigures {
  private static final String FILE = "figures.properties";

  private final Properties figures;

  private MeasuredFigures(Properties figures) {
    this.figures = figures;
  }

  /** Reads the figures of this program. */
  static MeasuredFigures load() {
    var figures = new Properties();
    try (InputStream in = MeasuredFigures.class.getResourceAsStream(FILE)) {
      if (in == null) throw new IllegalStateException("the program lacks " + FILE);
      figures.load(in);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return new MeasuredFigures(figures);
  }

  /** Returns a figure; throws {@link IllegalStateException} if there is none of that name. */
  double get(String name) {
    String text = figures.getProperty(name);
    if (text == null) throw new IllegalStateException(FILE + " lacks " + name);
    return Double.parseDouble(text);
  }
}
