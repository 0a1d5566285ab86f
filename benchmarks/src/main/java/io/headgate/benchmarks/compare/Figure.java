package io.headgate.benchmarks.compare;

/**
 * The place of a figure in a report.
 *
 * @param section the heading above the table
 * @param table the number of the table in the section, from 1
 * @param row the first cell of the row
 * @param column the name of the column
 */
record Figure(String section, int table, String row, String column) {}
