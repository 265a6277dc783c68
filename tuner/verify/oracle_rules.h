/* What a row of the verifier's input holds, and how far a result may be from the reference. Common to C and CUDA C++:
   plain functions, no header, no library beyond exp, log, fabs, sqrt. */
#ifndef TUNER_VERIFY_ORACLE_RULES_H
#define TUNER_VERIFY_ORACLE_RULES_H

/* The rows of one launch: row r holds the kind (first_kind + r) mod kind_count, or, with kind_count 1, all rows hold
   first_kind. */
struct oracle_batch {
    int log_softmax;            /* else softmax */
    int dtype_in, dtype_out;    /* enum dtype */
    int in_place;
    long long M, N, x_stride, y_stride;
    unsigned long long seed;
    int first_kind, kind_count;
    long long first_peak;       /* for the kinds whose peak moves: the first row's peak column */
    float scale;                /* 1 where the problem is not scaled */
    double tolerance;
};

#endif
