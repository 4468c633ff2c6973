// Arithmetic on rows of numbers, the inner loops of the networks.
#pragma once

namespace arbora::isbn {

// scores[r] = biases[r] + rows[r] . x for `count` rows of `width` numbers; without biases if there are none.
void multiply_rows(const double* rows, const double* biases, int count, int width, const double* x, double* scores);
// y += sum of factors[r] times rows[r].
void add_rows(const double* rows, const double* factors, int count, int width, double* y);
// rows[r] += factors[r] times x.
void add_to_rows(const double* factors, int count, int width, const double* x, double* rows);
// y += a x.
void add_multiple(double a, const double* x, int width, double* y);
double dot_product(const double* x, const double* y, int width);
// Scores become probabilities; the logarithm of their sum comes back.
double normalise(double* scores, int count);
// means[i] = 1 / (1 + exp(-x[i])); the sum of ln (1 + exp x[i]) comes back.
double squash(const double* x, int width, double* means);

}  // namespace arbora::isbn
