package io.headgate.spring.slice;

import io.headgate.spring.Limited;
import org.springframework.stereotype.Service;

/** Has a limited method. Not loaded by tests of controllers, unless they import it. */
@Service
class SlicedReports {
  @Limited(rule = "1/1h", key = "#user")
  String create(String user) {
    return "report of " + user;
  }
}
