/* What befalls a store from outside: it is refused with one clear line, and left as it is. */
#include "tests/store_fixture.h"
#include "tuner/store/row_hash.h"

#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cmocka.h>

enum { TRIALS = 120, FLIPS = 300, CUTS = 60 };

static struct error error;

struct bytes {
    unsigned char *data;
    size_t size;
};

static char *file_of(const char *folder)
{
    return must_format("%s/trials.sqlite", folder);
}

static struct bytes read_file(const char *folder)
{
    char *path = file_of(folder);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    struct stat status;
    assert_int_equal(fstat(fileno(file), &status), 0);
    struct bytes bytes = {must_malloc((size_t)status.st_size + 1), (size_t)status.st_size};
    assert_int_equal(fread(bytes.data, 1, bytes.size, file), bytes.size);
    fclose(file);
    free(path);
    return bytes;
}

/* The store's file becomes these bytes, alone. */
static void write_file(const char *folder, const unsigned char *data, size_t size)
{
    static const char *const others[] = {"-wal", "-shm"};
    char *path = file_of(folder);
    for (int i = 0; i < 2; i++) {
        char *other = must_format("%s%s", path, others[i]);
        unlink(other);
        free(other);
    }
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    fclose(file);
    free(path);
}

/* A folder with a store of TRIALS trials, closed. */
static char *make_store(void)
{
    char *folder = temporary_folder();
    struct store *s = fixture_open(folder, &error);
    if (s == NULL)
        fail_msg("%s", error.text);
    for (int i = 0; i < TRIALS; i++)
        assert_true(fixture_put(s, i, &error));
    store_close(s);
    return folder;
}

/* Runs SQL on the store's file, as another program would. */
static void tamper(const char *folder, const char *sql)
{
    char *path = file_of(folder), *message = NULL;
    sqlite3 *database;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    row_hash_register(database);
    if (sqlite3_exec(database, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s", message);
    sqlite3_close(database);
    free(path);
}

static void assert_refused(const char *folder, const char *said)
{
    struct bytes before = read_file(folder);
    struct store *s = store_open(folder, 0, &error);
    assert_null(s);
    assert_int_equal(error.status, STATUS_MISSING);
    assert_non_null(strstr(error.text, folder));
    if (strstr(error.text, said) == NULL)
        fail_msg("'%s' does not say '%s'", error.text, said);
    assert_null(strchr(error.text, '\n'));
    struct bytes after = read_file(folder);
    assert_int_equal(before.size, after.size);
    assert_memory_equal(before.data, after.data, before.size);
    free(before.data);
    free(after.data);
}

static void a_store_of_a_newer_version_is_refused(void **state)
{
    (void)state;
    char *folder = make_store();
    tamper(folder, "PRAGMA user_version = 2");
    assert_refused(folder, "newer softmax-tune");
    temporary_folder_remove(folder);
}

static void another_programs_database_is_refused(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    tamper(folder, "CREATE TABLE trials (id INTEGER)");
    assert_refused(folder, "no store of softmax-tune");
    temporary_folder_remove(folder);
}

static void a_file_that_is_no_database_is_refused(void **state)
{
    (void)state;
    char *folder = temporary_folder();
    const char *text =
        "These are notes of mine, and no database, but they are long enough to have a header in "
        "front if they were one, which they are not.";
    write_file(folder, (const unsigned char *)text, strlen(text));
    assert_refused(folder, "damaged");
    temporary_folder_remove(folder);
}

/* Every trial that is found is right; what is not is a miss or said to be damaged. */
static int count_right(const char *folder)
{
    int right = 0;
    struct store *s = fixture_open(folder, &error);
    for (int i = 0; s != NULL && i < TRIALS; i++) {
        struct store_key key = fixture_key(i);
        struct store_trial trial, expected = fixture_trial(i);
        struct store_times times;
        enum store_answer answer = store_find(s, &key, &trial, &times, &error);
        if (answer == STORE_FAILED && strstr(error.text, "damaged") == NULL)
            fail_msg("%s", error.text);
        if (answer != STORE_HIT && answer != STORE_STALE)
            continue;
        assert_string_equal(trial.variant, expected.variant);
        assert_string_equal(trial.config, expected.config);
        assert_int_equal(trial.verdict, VERDICT_CORRECT);
        assert_true(trial.max_error == 0.25);
        assert_true(times.count == 0 || times.time.median == 101 + i);
        right += times.count > 0;
        free(times.samples);
        store_trial_clear(&trial);
    }
    if (s == NULL)
        assert_int_equal(error.status, STATUS_MISSING);
    store_close(s);
    return right;
}

static void a_turned_bit_never_yields_a_wrong_result(void **state)
{
    (void)state;
    char *folder = make_store();
    struct bytes whole = read_file(folder);
    int refused = 0;
    srand(1);
    for (int i = 0; i < FLIPS; i++) {
        size_t at = ((size_t)rand() * 32768 + (size_t)rand()) % whole.size;
        unsigned char bit = (unsigned char)(1 << rand() % 8);
        whole.data[at] ^= bit;
        write_file(folder, whole.data, whole.size);
        struct store *s = store_open(folder, 0, &error);
        if (s == NULL) {
            refused++;
            struct bytes after = read_file(folder);
            assert_int_equal(after.size, whole.size);
            assert_memory_equal(after.data, whole.data, whole.size);
            free(after.data);
        }
        store_close(s);
        if (s != NULL)
            count_right(folder);
        whole.data[at] ^= bit;
    }
    assert_true(refused > 0);
    write_file(folder, whole.data, whole.size);
    assert_int_equal(count_right(folder), TRIALS);
    free(whole.data);
    temporary_folder_remove(folder);
}

static void a_truncated_store_is_refused_and_left(void **state)
{
    (void)state;
    char *folder = make_store();
    struct bytes whole = read_file(folder);
    srand(2);
    for (int i = 0; i < CUTS; i++) {
        size_t size = 1 + ((size_t)rand() * 32768 + (size_t)rand()) % (whole.size - 1);
        write_file(folder, whole.data, size);
        assert_refused(folder, "damaged");
    }
    free(whole.data);
    temporary_folder_remove(folder);
}

/* Runs `act` in a child, since it gives up rights that do not come back. */
static void in_child(int (*act)(const char *folder), const char *folder)
{
    pid_t child = fork();
    if (child == 0)
        _exit(act(folder));
    int status;
    waitpid(child, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static int refused_as_somebody_else(const char *folder)
{
    if (geteuid() == 0 && (setegid(65534) != 0 || seteuid(65534) != 0))
        return 1;
    struct store *s = store_open(folder, 0, &error);
    bool clear = s == NULL && error.status == STATUS_MISSING && strstr(error.text, folder) != NULL &&
                 strstr(error.text, "permissions") != NULL;
    if (!clear)
        fprintf(stderr, "not refused as it should be: %s\n", error.text);
    return clear ? 0 : 1;
}

static void a_store_that_may_only_be_read_is_refused(void **state)
{
    (void)state;
    char *folder = make_store(), *path = file_of(folder);
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(chmod(folder, 0555), 0);
    struct bytes before = read_file(folder);
    in_child(refused_as_somebody_else, folder);
    struct bytes after = read_file(folder);
    assert_int_equal(before.size, after.size);
    assert_memory_equal(before.data, after.data, before.size);
    assert_int_equal(chmod(folder, 0755), 0);
    free(before.data);
    free(after.data);
    free(path);
    temporary_folder_remove(folder);
}

static int fills_the_disk(const char *folder)
{
    struct store *s = fixture_open(folder, &error);
    if (s == NULL)
        return 1;
    /* No file may grow beyond this: what a full disk looks like to the program. */
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = {200000, 200000};
    setrlimit(RLIMIT_FSIZE, &limit);
    int i = TRIALS;
    while (i < 100000 && fixture_put(s, i, &error))
        i++;
    store_close(s);
    bool clear = i < 100000 && error.status == STATUS_MISSING && strstr(error.text, "make room") != NULL;
    if (!clear)
        fprintf(stderr, "after %d trials: %s\n", i, error.text);
    return clear ? 0 : 1;
}

static void a_full_disk_is_said_and_what_was_stored_stays(void **state)
{
    (void)state;
    char *folder = make_store();
    in_child(fills_the_disk, folder);
    assert_int_equal(count_right(folder), TRIALS);
    temporary_folder_remove(folder);
}

static void a_clock_set_back_is_said_and_loses_nothing(void **state)
{
    (void)state;
    char *folder = make_store();
    struct store *s = store_open(folder, 0, &error);
    assert_null(store_warning(s));
    store_close(s);
    tamper(
        folder,
        "UPDATE trials SET finished = finished + 864000; UPDATE trials SET hash = row_hash(environment, "
        "problem, source, launches, space, variant, config, verdict, reason, max_error, copies, compile_seconds, "
        "verify_seconds, finished)");
    s = store_open(folder, 0, &error);
    assert_non_null(s);
    assert_non_null(strstr(store_warning(s), "clock"));
    assert_true(store_prune(s, 60, UINT32_MAX, &error));
    store_close(s);
    assert_int_equal(count_right(folder), TRIALS);
    temporary_folder_remove(folder);
}

static void a_folder_that_cannot_be_made_is_said(void **state)
{
    (void)state;
    assert_null(store_open("/dev/null/store", 0, &error));
    assert_int_equal(error.status, STATUS_MISSING);
    assert_non_null(strstr(error.text, "/dev/null/store"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_store_of_a_newer_version_is_refused),
        cmocka_unit_test(another_programs_database_is_refused),
        cmocka_unit_test(a_file_that_is_no_database_is_refused),
        cmocka_unit_test(a_turned_bit_never_yields_a_wrong_result),
        cmocka_unit_test(a_truncated_store_is_refused_and_left),
        cmocka_unit_test(a_store_that_may_only_be_read_is_refused),
        cmocka_unit_test(a_full_disk_is_said_and_what_was_stored_stays),
        cmocka_unit_test(a_clock_set_back_is_said_and_loses_nothing),
        cmocka_unit_test(a_folder_that_cannot_be_made_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
