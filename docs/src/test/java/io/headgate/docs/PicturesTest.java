package io.headgate.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import org.junit.jupiter.api.Test;

class PicturesTest {
  @Test
  void pictureOfTheAlgorithmsIsUpToDate() throws IOException {
    assertThat(Files.readString(Markdown.ROOT.resolve("docs/images/algorithms.svg")))
        .as("docs/draw generates it")
        .isEqualTo(AlgorithmsPicture.svg());
  }

  @Test
  void pictureOfReservationsIsUpToDate() throws IOException {
    assertThat(Files.readString(Markdown.ROOT.resolve("docs/images/reservation.svg")))
        .as("docs/draw generates it")
        .isEqualTo(ReservationPicture.svg());
  }

  @Test
  void tableOfTheAlgorithmsIsUpToDate() throws IOException {
    assertThat(Files.readString(Markdown.ROOT.resolve("docs/how-it-works.md")))
        .as("docs/draw prints it")
        .contains(AlgorithmsPicture.table());
  }
}
