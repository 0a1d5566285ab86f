package io.headgate.rulefile;

import io.headgate.limit.FairSharing;
import io.headgate.limit.Share;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Reads and writes {@code fair} of a limit: the tenants that share it, and their weights. */
final class FairSharingReader {
  static final String FIELD = "fair";
  private static final String AMONG = "among";
  private static final String WEIGHT_BY = "weight-by";
  private static final String WEIGHTS = "weights";
  private static final String WEIGHT = "a weight from 1 to " + Share.MAX_WEIGHT;

  /** Reads the value of the field; empty if it is invalid, which is then among the problems. */
  static Optional<FairSharing> read(FieldValue value) {
    return value.section("a map such as { among: tenant }").flatMap(FairSharingReader::read);
  }

  private static Optional<FairSharing> read(MappingReader section) {
    int before = section.self().problems().count();
    section.allowOnly(List.of(AMONG, WEIGHT_BY, WEIGHTS));
    if (!section.has(AMONG)) section.missing(AMONG, "give the attribute that names the tenant");
    var among = section.find(AMONG).map(MatchReader::per).orElse(List.of());
    var weightBy = section.read(WEIGHT_BY, "an attribute", MatchReader::attribute);
    var weights = new TreeMap<String, Integer>();
    section
        .find(WEIGHTS)
        .flatMap(value -> value.section("a map such as { enterprise: 5, pro: 2 }"))
        .ifPresent(map -> {
          for (var name : map.names()) {
            map.read(name, WEIGHT, CountSyntax::parseInteger)
                .ifPresent(weight -> weights.put(name, weight));
          }
        });
    if (section.self().problems().count() != before) return Optional.empty();
    String field = section.has(WEIGHTS) ? WEIGHTS : section.has(WEIGHT_BY) ? WEIGHT_BY : AMONG;
    return section.findOrSelf(field).attempt(() -> new FairSharing(among, weightBy, weights));
  }

  static OutputNode write(FairSharing sharing) {
    Map<String, OutputNode> fields = new LinkedHashMap<>();
    var names = new ArrayList<OutputNode>();
    for (var name : sharing.among()) names.add(new OutputNode.Text(name));
    fields.put(AMONG, names.size() == 1 ? names.getFirst() : new OutputNode.Items(names));
    sharing.weightBy().ifPresent(name -> fields.put(WEIGHT_BY, new OutputNode.Text(name)));
    if (!sharing.weights().isEmpty()) {
      Map<String, OutputNode> weights = new LinkedHashMap<>();
      sharing
          .weights()
          .forEach((value, weight) ->
              weights.put(value, new OutputNode.Literal(Integer.toString(weight))));
      fields.put(WEIGHTS, new OutputNode.Fields(weights));
    }
    return new OutputNode.Fields(fields);
  }

  private FairSharingReader() {}
}
