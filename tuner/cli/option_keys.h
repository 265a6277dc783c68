/* The options' keys; none has a short form. */
#ifndef TUNER_CLI_OPTION_KEYS_H
#define TUNER_CLI_OPTION_KEYS_H

enum option_key {
    KEY_N = 1000,
    KEY_M,
    KEY_DTYPE,
    KEY_OUT_DTYPE,
    KEY_OP,
    KEY_ARCH,
    KEY_GPU,
    KEY_X_STRIDE,
    KEY_Y_STRIDE,
    KEY_ALIGN,
    KEY_IN_PLACE,
    KEY_SCALE,
    KEY_CACHE,
    KEY_PROBLEMS,
    KEY_CONFIG,
    KEY_TEMPLATES,
    KEY_SPACE,
    KEY_SET,
    KEY_DEVICE,
    KEY_JOBS,
    KEY_TOLERANCE,
    KEY_STORE,
    KEY_JSON,
    KEY_QUIET,
    KEY_SECONDS,
    KEY_STRATEGY,
    KEY_SEED,
    KEY_OUTPUT,
    KEY_COUNT,
    KEY_VARIANT,
    KEY_RIVAL,
    KEY_LIMIT,
    KEY_ROWS,
    KEY_HELP,
    KEY_USAGE,
    KEY_VERSION,
};

#endif
