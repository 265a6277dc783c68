#include "tuner/compile/compile_worker.h"

#include "generator/worker.h"
#include "tuner/compile/nvrtc_library.h"

#include <stdlib.h>
#include <string.h>

enum { OPTIONS_MAX = 16, ARCHS_MAX = 64 };

static void answer_probe(const struct nvrtc_library *library, struct message *reply)
{
    int major = 0, minor = 0, archs[ARCHS_MAX];
    nvrtc_library_version(library, &major, &minor);
    int count = nvrtc_library_archs(library, archs, ARCHS_MAX);
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
        json_array_append_new(list, json_integer(archs[i]));
    reply->body = json_pack("{s:s, s:i, s:i, s:o}", "path", nvrtc_library_path(library), "major", major,
                            "minor", minor, "archs", list);
}

static void answer_compile(const struct nvrtc_library *library, const struct message *request,
                           struct message *reply)
{
    const json_t *list = json_object_get(request->body, "options");
    const char *options[OPTIONS_MAX];
    int count = 0;
    for (; count < OPTIONS_MAX && count < (int)json_array_size(list); count++)
        options[count] = json_string_value(json_array_get(list, (size_t)count));

    struct nvrtc_output output;
    nvrtc_library_compile(library, request->blob, options, count, &output);
    reply->blob_size = output.log_size + output.ptx_size + output.cubin_size;
    char *blob = reply->blob = must_malloc(reply->blob_size + 1);
    memcpy(blob, output.log, output.log_size);
    memcpy(blob + output.log_size, output.ptx, output.ptx_size);
    if (output.cubin_size > 0)
        memcpy(blob + output.log_size + output.ptx_size, output.cubin, output.cubin_size);
    reply->body = json_pack("{s:b, s:s, s:I, s:I, s:I}", "compiled", output.compiled, "result", output.result,
                            "log", (json_int_t)output.log_size, "ptx", (json_int_t)output.ptx_size, "cubin",
                            (json_int_t)output.cubin_size);
    nvrtc_output_clear(&output);
}

int compile_worker_main(int descriptor, void *context)
{
    struct error e;
    struct nvrtc_library *library = nvrtc_library_open(context, &e);
    struct message request;
    while (message_read(descriptor, &request)) {
        struct message reply = {0};
        if (library == NULL)
            reply.body = json_pack("{s:s}", "error", e.text);
        else if (json_is_true(json_object_get(request.body, "probe")))
            answer_probe(library, &reply);
        else
            answer_compile(library, &request, &reply);
        bool written = reply.body != NULL && message_write(descriptor, &reply);
        message_clear(&request);
        message_clear(&reply);
        if (!written)
            return STATUS_MISSING;
    }
    return STATUS_DONE;
}
