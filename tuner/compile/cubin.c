#include "tuner/compile/cubin.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

struct elf_file {
    const unsigned char *bytes;
    size_t size;
    uint64_t sections; /* offset of the section headers */
    int section_count;
    Elf64_Shdr names; /* the section that holds the sections' names */
};

static bool within(uint64_t offset, uint64_t length, uint64_t size)
{
    return offset <= size && length <= size - offset;
}

/* Headers are copied out: nothing says that they are aligned. */
static Elf64_Shdr section_header(const struct elf_file *file, int index)
{
    Elf64_Shdr header;
    memcpy(&header, file->bytes + file->sections + (size_t)index * sizeof header, sizeof header);
    return header;
}

static bool damaged(struct error *e, const char *what)
{
    return error_set(e, STATUS_USAGE, "not a whole cubin: %s", what);
}

static bool elf_open(struct elf_file *file, const void *bytes, size_t size, struct error *e)
{
    Elf64_Ehdr header;
    if (size < sizeof header)
        return damaged(e, "it is shorter than an ELF header");
    memcpy(&header, bytes, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_machine != EM_CUDA)
        return damaged(e, "it is no ELF file for an NVIDIA GPU");
    if (header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shnum == 0 ||
        header.e_shstrndx >= header.e_shnum ||
        !within(header.e_shoff, (uint64_t)header.e_shnum * sizeof(Elf64_Shdr), size))
        return damaged(e, "its section headers are not in it");
    *file = (struct elf_file){
        .bytes = bytes, .size = size, .sections = header.e_shoff, .section_count = header.e_shnum};
    file->names = section_header(file, header.e_shstrndx);
    if (!within(file->names.sh_offset, file->names.sh_size, size) || file->names.sh_size == 0 ||
        file->bytes[file->names.sh_offset + file->names.sh_size - 1] != '\0')
        return damaged(e, "its section names are not in it");
    return true;
}

/* The part of a section's name that counts (".nv.constant2" of ".nv.constant2.<kernel>"); 0 for a section
   that is neither code nor data. */
static size_t counted_name(const char *name)
{
    static const char *const prefixes[] = {".text.", ".nv.constant", ".nv.shared", ".nv.global"};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        size_t length = strlen(prefixes[i]);
        if (strncmp(name, prefixes[i], length) == 0)
            return length + (strncmp(name, ".nv.constant", length) == 0 ? strcspn(name + length, ".") : 0);
    }
    return 0;
}

static bool section_digest(const struct elf_file *file, const Elf64_Shdr *section, const char *name,
                           size_t name_length, uint64_t *digest, struct error *e)
{
    bool stored = section->sh_type != SHT_NOBITS;
    if (stored && !within(section->sh_offset, section->sh_size, file->size))
        return damaged(e, "a section is not in it");
    XXH3_state_t *state = XXH3_createState();
    XXH3_64bits_reset(state);
    XXH3_64bits_update(state, name, name_length);
    XXH3_64bits_update(state, &section->sh_size, sizeof section->sh_size);
    if (stored)
        XXH3_64bits_update(state, file->bytes + section->sh_offset, section->sh_size);
    *digest = XXH3_64bits_digest(state);
    XXH3_freeState(state);
    return true;
}

static int compare_digests(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

bool cubin_code_hash(const void *cubin, size_t size, uint64_t *hash, struct error *e)
{
    struct elf_file file = {0};
    if (!elf_open(&file, cubin, size, e))
        return false;
    uint64_t *digests = must_calloc((size_t)file.section_count, sizeof *digests);
    size_t count = 0;
    bool whole = true, code = false;
    for (int i = 0; i < file.section_count && whole; i++) {
        Elf64_Shdr section = section_header(&file, i);
        whole = section.sh_name < file.names.sh_size || damaged(e, "a section's name is not in it");
        const char *name = whole ? (const char *)file.bytes + file.names.sh_offset + section.sh_name : "";
        size_t length = counted_name(name);
        if (length == 0)
            continue;
        whole = section_digest(&file, &section, name, length, &digests[count++], e);
        code |= strncmp(name, ".text.", 6) == 0;
    }
    if (whole && !code)
        whole = damaged(e, "it holds no kernel");
    if (whole) {
        /* Sorted, since ptxas may order sections by the kernels' names. */
        qsort(digests, count, sizeof *digests, compare_digests);
        *hash = XXH3_64bits(digests, count * sizeof *digests);
    }
    free(digests);
    return whole;
}

bool cubin_same_code(const void *a, size_t a_size, const void *b, size_t b_size, struct error *e)
{
    uint64_t hash_a, hash_b;
    if (!cubin_code_hash(a, a_size, &hash_a, e) || !cubin_code_hash(b, b_size, &hash_b, e))
        return false;
    return hash_a == hash_b || error_set(e, STATUS_USAGE, "the two cubins hold different machine code");
}
