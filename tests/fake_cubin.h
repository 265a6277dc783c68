/* The smallest file that passes for a cubin of one kernel. */
#ifndef TESTS_FAKE_CUBIN_H
#define TESTS_FAKE_CUBIN_H

#include <elf.h>
#include <stdio.h>
#include <string.h>

enum { FAKE_CUBIN_SIZE = 1024 };

/* Headers, the sections' names, and the sections .text.<kernel> (holding `code`) and .nv.shared.<kernel> (of
   `shared` bytes, which a cubin does not store). */
static inline void fake_cubin(unsigned char bytes[FAKE_CUBIN_SIZE], const char *kernel, const char *code,
                              int shared)
{
    enum { NAMES = 256, CODE = 512, SECTIONS = 640, COUNT = 4 };
    char names[256] = "";
    int text = 1, shared_name = text + 1 + snprintf(names + text, 100, ".text.%s", kernel);
    int own_name = shared_name + 1 + snprintf(names + shared_name, 100, ".nv.shared.%s", kernel);
    int names_size = own_name + 1 + snprintf(names + own_name, 20, ".shstrtab");
    Elf64_Ehdr header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
                         .e_type = ET_EXEC,
                         .e_machine = EM_CUDA,
                         .e_version = EV_CURRENT,
                         .e_shoff = SECTIONS,
                         .e_ehsize = sizeof(Elf64_Ehdr),
                         .e_shentsize = sizeof(Elf64_Shdr),
                         .e_shnum = COUNT,
                         .e_shstrndx = 1};
    Elf64_Shdr sections[COUNT] = {
        {0},
        {.sh_name = (Elf64_Word)own_name,
         .sh_type = SHT_STRTAB,
         .sh_offset = NAMES,
         .sh_size = (Elf64_Xword)names_size},
        {.sh_name = (Elf64_Word)text, .sh_type = SHT_PROGBITS, .sh_offset = CODE, .sh_size = 64},
        {.sh_name = (Elf64_Word)shared_name,
         .sh_type = SHT_NOBITS,
         .sh_offset = CODE,
         .sh_size = (Elf64_Xword)shared},
    };
    memset(bytes, 0, FAKE_CUBIN_SIZE);
    memcpy(bytes, &header, sizeof header);
    memcpy(bytes + NAMES, names, sizeof names);
    snprintf((char *)bytes + CODE, 64, "%s", code);
    memcpy(bytes + SECTIONS, sections, sizeof sections);
}

#endif
