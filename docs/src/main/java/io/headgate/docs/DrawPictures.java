package io.headgate.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Writes the pictures into {@code docs/images}. Run by {@code docs/draw}. */
final class DrawPictures {
  public static void main(String[] arguments) throws IOException {
    var folder = Path.of(arguments[0]);
    Files.writeString(folder.resolve("algorithms.svg"), AlgorithmsPicture.svg());
    Files.writeString(folder.resolve("reservation.svg"), ReservationPicture.svg());
    System.out.print(AlgorithmsPicture.table());
  }

  private DrawPictures() {}
}
