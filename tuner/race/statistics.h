/* Robust figures of a few samples. */
#ifndef TUNER_RACE_STATISTICS_H
#define TUNER_RACE_STATISTICS_H

/* The median, and the interval that holds it with at least 95 % confidence, from order statistics and the
   binomial distribution (no assumption on the noise); for fewer than 6 samples the whole range. NaN samples
   are left out; all three are NaN when none is left. */
struct median_interval {
    double median, low, high;
    int count; /* samples used */
};
struct median_interval median_interval_of(const double *samples, int count);

#endif
