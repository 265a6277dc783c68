#include "tuner/cli/command.h"
#include "tuner/cli/output.h"
#include "tuner/devices/device_client.h"

#include <stdio.h>
#include <string.h>

static void print_gpus(const struct gpu_list *list)
{
    printf("%-12s %-8s %-34s %5s %9s %8s\n", "--gpu", "--arch", "name", "SMs", "L2, MiB", "GB/s");
    const char *last = "";
    for (int i = 0; i < list->count; i++) {
        const struct gpu *g = &list->gpus[i];
        bool first = strcmp(last, g->arch) != 0;
        printf("%-12s %-8s %-34s %5d %9.0f %8.0f%s\n", g->short_name, g->arch, g->name, g->sms,
               (double)g->l2_bytes / 1048576, g->dram_gbs, first ? "  default" : "");
        last = g->arch;
    }
}

int command_gpus(const struct options *o, struct error *e)
{
    struct gpu_list list;
    if (!gpu_list_load(&list, e))
        return e->status;
    struct error why = {0};
    bool looks = o->device == WISH_AUTO || o->device == WISH_CUDA;
    struct device_client *here = looks ? device_client_open(DEVICE_CUDA, o->device_index, NULL, &why) : NULL;
    if (o->json) {
        json_t *document = json_pack("{s:[], s:o}", "gpus", "here",
                                     here != NULL ? gpu_to_json(device_client_gpu(here)) : json_null());
        for (int i = 0; i < list.count; i++)
            json_array_append_new(json_object_get(document, "gpus"), gpu_to_json(&list.gpus[i]));
        output_json(document);
    } else {
        print_gpus(&list);
        if (here != NULL)
            printf("\nHere: %s (%s)\n", device_client_gpu(here)->name, device_client_gpu(here)->arch);
        else if (looks)
            printf("\nHere: none can be used (%s)\n", why.text);
    }
    device_client_close(here);
    gpu_list_clear(&list);
    return STATUS_DONE;
}
