#include "generator/generator.h"

#include <lua.h>

const char *generator_lua_version(void)
{
    return LUA_RELEASE;
}
