#include "tuner/race/statistics.h"

#include "generator/error.h"

#include <math.h>
#include <stdlib.h>

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The largest rank r (from 1) for which the r-th smallest of n samples lies above the median with a
   probability of at most 2.5 %: P(fewer than r of n fall below the median) = sum of C(n, i) / 2^n for i < r.
 */
static int low_rank(int n)
{
    double term = exp2(-n),
           below = 0; /* C(n, 0) / 2^n; zero from n = 1075 on, where the ranks are not needed exactly */
    if (term == 0)
        return (int)floor(n / 2.0 - 0.98 * sqrt(n));
    int rank = 0;
    while (rank < n / 2 && below + term <= 0.025) {
        below += term;
        term *= (double)(n - rank) / (rank + 1);
        rank++;
    }
    return rank > 0 ? rank : 1;
}

struct median_interval median_interval_of(const double *samples, int count)
{
    struct median_interval result = {NAN, NAN, NAN, 0};
    double *sorted = must_malloc((size_t)(count > 0 ? count : 1) * sizeof *sorted);
    int n = 0;
    for (int i = 0; i < count; i++)
        if (!isnan(samples[i]))
            sorted[n++] = samples[i];
    if (n > 0) {
        qsort(sorted, (size_t)n, sizeof *sorted, compare_doubles);
        int rank = low_rank(n);
        result.median = (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
        result.low = sorted[rank - 1];
        result.high = sorted[n - rank];
        result.count = n;
    }
    free(sorted);
    return result;
}
