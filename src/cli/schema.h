/* schema: --schema: the JSON schema of the records of --json, from schema/, in the program itself, which may run
 * without its installed files. */
#pragma once

extern const char schema_text[];
