/* The error that the PTX manual (PTX ISA 9.0, section 9.7) states for the instructions that approximate. */
#ifndef TESTS_HARDWARE_STATED_ERROR_H
#define TESTS_HARDWARE_STATED_ERROR_H

#include "tests/hardware/hardware_program.h"

/* Whether `got`, the instruction's result for a and b, is a right one. Where the manual says nothing of an
   input, every result is. For a packed result: of one half, with that half's inputs. */
bool stated_error_holds(const struct instruction *i, uint32_t a, uint32_t b, uint32_t got);

/* The type of a half of a packed type; another type itself. */
enum operand_type stated_error_type(enum operand_type type);

#endif
