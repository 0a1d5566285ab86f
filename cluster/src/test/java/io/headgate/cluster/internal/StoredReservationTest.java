package io.headgate.cluster.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.limit.NumberWriter;
import io.headgate.reservation.ChargedPiece;
import io.headgate.reservation.Ledger;
import io.headgate.reservation.ReservationRecord;
import io.headgate.reservation.ReservationReply.Status;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class StoredReservationTest {
  @ParameterizedTest
  @EnumSource
  void recordIsReadAsWritten(Status status) {
    var pieces = List.of(new ChargedPiece(5, 10, 20), new ChargedPiece(7, 1L << 51, 1L << 52));
    var record =
        new ReservationRecord(
            status,
            1L << 51,
            Map.of(0, new Ledger(Ledger.UNREPORTED, 0, pieces), 3, new Ledger(9, 4, List.of())));
    assertThat(StoredReservation.decode(StoredReservation.encode(record))).isEqualTo(record);
  }

  @Test
  void recordOfAnotherFormatIsRefused() {
    var bytes = new NumberWriter().put(2).put(1).put(0).put(0).toByteArray();
    assertThatThrownBy(() -> StoredReservation.decode(bytes))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a reservation is stored in format 2; this member reads 1");
  }
}
