package io.headgate.spring.slice;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The pages. */
@RestController
class SlicedPages {
  private final SlicedReports reports;

  SlicedPages(SlicedReports reports) {
    this.reports = reports;
  }

  @GetMapping({"/report", "/report-again", "/other"})
  String report(@RequestParam String user) {
    return reports.create(user);
  }
}
