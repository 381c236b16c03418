#include "trace/dwarf.h"

#include <string.h>

#include "lib/util.h"

/* Attributes, DW_AT_... */
enum attribute {
	AT_NAME = 0x03,
	AT_LOW_ADDRESS = 0x11,
	AT_ABSTRACT_ORIGIN = 0x31,
	AT_SPECIFICATION = 0x47,
	AT_LINKAGE_NAME = 0x6e,
	AT_STRING_OFFSETS_BASE = 0x72,
	AT_ADDRESSES_BASE = 0x73,
	AT_MIPS_LINKAGE_NAME = 0x2007,
};

enum reading {
	READ_UNKNOWN,
	READ_FIXED, /* size bytes */
	READ_LEB,
	READ_TEXT,
	READ_BLOCK,     /* after its length of size bytes */
	READ_LEB_BLOCK, /* after its length */
	READ_OFFSET,    /* 4 or 8 bytes, as in the unit's header */
	READ_ADDRESS,
	READ_REFERENCE, /* an address in DWARF 2, an offset later */
	READ_NOTHING,
};

/* What the value is. */
enum meaning {
	IS_OTHER,
	IS_TEXT,
	IS_STRING,
	IS_LINE_STRING,
	IS_STRING_INDEX,
	IS_ADDRESS,
	IS_ADDRESS_INDEX,
	IS_UNIT_OFFSET,
	IS_INFO_OFFSET
};

struct form {
	enum reading reading;
	uint8_t size;
	enum meaning meaning;
};

/* By their numbers, DW_FORM_... */
/* clang-format off */
static const struct form forms[] = {
	[0x01] = {READ_ADDRESS, 0, IS_ADDRESS},           [0x03] = {READ_BLOCK, 2, IS_OTHER},
	[0x04] = {READ_BLOCK, 4, IS_OTHER},               [0x05] = {READ_FIXED, 2, IS_OTHER},
	[0x06] = {READ_FIXED, 4, IS_OTHER},               [0x07] = {READ_FIXED, 8, IS_OTHER},
	[0x08] = {READ_TEXT, 0, IS_TEXT},                 [0x09] = {READ_LEB_BLOCK, 0, IS_OTHER},
	[0x0a] = {READ_BLOCK, 1, IS_OTHER},               [0x0b] = {READ_FIXED, 1, IS_OTHER},
	[0x0c] = {READ_FIXED, 1, IS_OTHER},               [0x0d] = {READ_LEB, 0, IS_OTHER},
	[0x0e] = {READ_OFFSET, 0, IS_STRING},             [0x0f] = {READ_LEB, 0, IS_OTHER},
	[0x10] = {READ_REFERENCE, 0, IS_INFO_OFFSET},     [0x11] = {READ_FIXED, 1, IS_UNIT_OFFSET},
	[0x12] = {READ_FIXED, 2, IS_UNIT_OFFSET},         [0x13] = {READ_FIXED, 4, IS_UNIT_OFFSET},
	[0x14] = {READ_FIXED, 8, IS_UNIT_OFFSET},         [0x15] = {READ_LEB, 0, IS_UNIT_OFFSET},
	[0x17] = {READ_OFFSET, 0, IS_OTHER},              [0x18] = {READ_LEB_BLOCK, 0, IS_OTHER},
	[0x19] = {READ_NOTHING, 0, IS_OTHER},             [0x1a] = {READ_LEB, 0, IS_STRING_INDEX},
	[0x1b] = {READ_LEB, 0, IS_ADDRESS_INDEX},        [0x1c] = {READ_FIXED, 4, IS_OTHER},
	[0x1d] = {READ_OFFSET, 0, IS_OTHER},              [0x1e] = {READ_FIXED, 16, IS_OTHER},
	[0x1f] = {READ_OFFSET, 0, IS_LINE_STRING},        [0x20] = {READ_FIXED, 8, IS_OTHER},
	[0x21] = {READ_NOTHING, 0, IS_OTHER},             [0x22] = {READ_LEB, 0, IS_OTHER},
	[0x23] = {READ_LEB, 0, IS_OTHER},                [0x24] = {READ_FIXED, 8, IS_OTHER},
	[0x25] = {READ_FIXED, 1, IS_STRING_INDEX},        [0x26] = {READ_FIXED, 2, IS_STRING_INDEX},
	[0x27] = {READ_FIXED, 3, IS_STRING_INDEX},        [0x28] = {READ_FIXED, 4, IS_STRING_INDEX},
	[0x29] = {READ_FIXED, 1, IS_ADDRESS_INDEX},       [0x2a] = {READ_FIXED, 2, IS_ADDRESS_INDEX},
	[0x2b] = {READ_FIXED, 3, IS_ADDRESS_INDEX},       [0x2c] = {READ_FIXED, 4, IS_ADDRESS_INDEX},
};
/* clang-format on */

#define FORM_INDIRECT       0x16
#define FORM_IMPLICIT_CONST 0x21

struct cursor {
	const unsigned char *at, *end;
	bool bad; /* it has run past the end; all further values are 0 */
};

struct abbreviation {
	uint64_t code, tag;
	struct cursor attributes;
};

struct unit {
	const struct dwarf *dwarf;
	uint64_t start; /* in the information */
	struct cursor cursor;
	unsigned version, offset_size, address_size;
	uint64_t string_offsets, addresses; /* bases of the indices */
	struct abbreviation *abbreviations;
	size_t n_abbreviations;
};

/* ---- reading ---- */

static uint64_t read_fixed(struct cursor *c, size_t size)
{
	uint64_t value = 0;

	if (c->bad || (size_t)(c->end - c->at) < size) {
		c->bad = true;
		return 0;
	}
	for (size_t i = 0; i < size && i < sizeof(value); i++)
		value |= (uint64_t)c->at[__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? i : size - 1 - i] << 8 * i;
	c->at += size;
	return value;
}

/* Signed numbers are only passed over. */
static uint64_t read_leb(struct cursor *c)
{
	uint64_t value = 0, byte = 0x80;

	for (unsigned shift = 0; !c->bad && (byte & 0x80); shift += 7) {
		byte = read_fixed(c, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
	}
	return value;
}

static const char *read_text(struct cursor *c)
{
	const unsigned char *end = c->bad ? NULL : memchr(c->at, '\0', (size_t)(c->end - c->at));
	const char *text = (const char *)c->at;

	c->bad |= !end;
	if (c->bad)
		return NULL;
	c->at = end + 1;
	return text;
}

static struct cursor cursor_at(const struct dwarf_section *s, uint64_t offset)
{
	if (!s->at || offset > s->size)
		return (struct cursor){.bad = true};
	return (struct cursor){s->at + offset, s->at + s->size, false};
}

static uint64_t read_sized(struct unit *u, const struct form *form)
{
	struct cursor *c = &u->cursor;

	switch (form->reading) {
	case READ_FIXED:
		return read_fixed(c, form->size);
	case READ_LEB:
		return read_leb(c);
	case READ_BLOCK:
		return read_fixed(c, read_fixed(c, form->size));
	case READ_LEB_BLOCK:
		return read_fixed(c, read_leb(c));
	case READ_OFFSET:
		return read_fixed(c, u->offset_size);
	case READ_ADDRESS:
		return read_fixed(c, u->address_size);
	case READ_REFERENCE:
		return read_fixed(c, u->version == 2 ? u->address_size : u->offset_size);
	case READ_UNKNOWN:
	case READ_TEXT:
	case READ_NOTHING:
		break;
	}
	return 0;
}

/* ---- values ---- */

struct value {
	enum meaning meaning;
	uint64_t number;
	const char *text;
};

static struct value read_value(struct unit *u, uint64_t code)
{
	uint64_t number = code == FORM_INDIRECT ? read_leb(&u->cursor) : code;
	const struct form *form = number < ARRAY_SIZE(forms) ? &forms[number] : &forms[0];
	struct value value = {.meaning = form->meaning};

	if (form->reading == READ_UNKNOWN)
		u->cursor.bad = true;
	else if (form->reading == READ_TEXT)
		value.text = read_text(&u->cursor);
	else
		value.number = read_sized(u, form);
	return value;
}

static const char *text_of(const struct unit *u, const struct value *value)
{
	const struct dwarf *d = u->dwarf;
	struct cursor c;
	uint64_t offset = value->number;

	if (value->meaning == IS_TEXT)
		return value->text;
	if (value->meaning == IS_STRING_INDEX) {
		if (offset > d->string_offsets.size) /* so that the product below does not wrap */
			return NULL;
		c = cursor_at(&d->string_offsets, u->string_offsets + offset * u->offset_size);
		offset = read_fixed(&c, u->offset_size);
		if (c.bad)
			return NULL;
	} else if (value->meaning != IS_STRING && value->meaning != IS_LINE_STRING) {
		return NULL;
	}
	c = cursor_at(value->meaning == IS_LINE_STRING ? &d->line_strings : &d->strings, offset);
	return read_text(&c);
}

static uint64_t address_of(const struct unit *u, const struct value *value)
{
	struct cursor c;

	if (value->meaning != IS_ADDRESS_INDEX)
		return value->meaning == IS_ADDRESS ? value->number : 0;
	if (value->number > u->dwarf->addresses.size)
		return 0;
	c = cursor_at(&u->dwarf->addresses, u->addresses + value->number * u->address_size);
	return read_fixed(&c, u->address_size);
}

static void take_attribute(struct unit *u, struct dwarf_entry *entry, uint64_t attribute, const struct value *value)
{
	switch (attribute) {
	case AT_NAME:
		entry->name = text_of(u, value);
		break;
	case AT_LINKAGE_NAME:
	case AT_MIPS_LINKAGE_NAME:
		entry->linkage = text_of(u, value);
		break;
	case AT_ABSTRACT_ORIGIN:
	case AT_SPECIFICATION:
		entry->origin = value->number + (value->meaning == IS_UNIT_OFFSET ? u->start : 0);
		break;
	case AT_LOW_ADDRESS:
		entry->low_address = address_of(u, value);
		break;
	case AT_STRING_OFFSETS_BASE:
		u->string_offsets = value->number;
		break;
	case AT_ADDRESSES_BASE:
		u->addresses = value->number;
		break;
	}
}

/* ---- units ---- */

/* The attributes of an entry, and the form of each: the list ends with two zeros. */
static bool next_attribute(struct cursor *c, uint64_t *attribute, uint64_t *form)
{
	*attribute = read_leb(c);
	*form = read_leb(c);
	if (*form == FORM_IMPLICIT_CONST)
		read_leb(c); /* the value, which is the same for all */
	return !c->bad && (*attribute || *form);
}

static void read_abbreviations(struct unit *u, uint64_t offset)
{
	struct cursor c = cursor_at(&u->dwarf->abbrev, offset);

	for (uint64_t code, attribute, form; (code = read_leb(&c)) != 0 && !c.bad;) {
		struct abbreviation a = {.code = code, .tag = read_leb(&c)};

		read_fixed(&c, 1); /* whether it has children */
		a.attributes = c;
		while (next_attribute(&c, &attribute, &form))
			;
		*ARRAY_PUSH(u->abbreviations, u->n_abbreviations) = a;
	}
}

/* Codes usually count from 1. */
static const struct abbreviation *find_abbreviation(const struct unit *u, uint64_t code)
{
	if (code <= u->n_abbreviations && u->abbreviations[code - 1].code == code)
		return &u->abbreviations[code - 1];
	for (size_t i = 0; i < u->n_abbreviations; i++)
		if (u->abbreviations[i].code == code)
			return &u->abbreviations[i];
	return NULL;
}

static void read_entry(struct unit *u, const struct abbreviation *a, struct dwarf_entry *entry)
{
	struct cursor attributes = a->attributes;
	uint64_t attribute, form;

	entry->tag = a->tag;
	while (next_attribute(&attributes, &attribute, &form) && !u->cursor.bad) {
		struct value value = read_value(u, form);

		take_attribute(u, entry, attribute, &value);
	}
}

static void each_entry(struct unit *u, dwarf_call *call, void *arg)
{
	while (!u->cursor.bad && u->cursor.at < u->cursor.end) {
		struct dwarf_entry entry = {.offset = (uint64_t)(u->cursor.at - u->dwarf->info.at)};
		uint64_t code = read_leb(&u->cursor);
		const struct abbreviation *a = code ? find_abbreviation(u, code) : NULL;

		if (a)
			read_entry(u, a, &entry);
		else if (code) /* 0: the end of an entry's children */
			return;
		if (a && !u->cursor.bad)
			call(arg, &entry);
	}
}

/* Reads the header of the unit at *offset, and moves *offset to the next unit. Returns false at the end. */
static bool next_unit(struct unit *u, uint64_t *offset)
{
	enum { TYPE = 2, SKELETON = 4, SPLIT = 5, SPLIT_TYPE = 6 };
	struct cursor *c = &u->cursor;
	uint64_t length, kind = 0, abbreviations;

	u->start = *offset;
	*c = cursor_at(&u->dwarf->info, *offset);
	length = read_fixed(c, 4);
	u->offset_size = length == UINT32_MAX ? 8 : 4;
	if (u->offset_size == 8)
		length = read_fixed(c, 8);
	if (c->bad || length == 0 || length > (size_t)(c->end - c->at))
		return false;
	c->end = c->at + length;
	*offset = (uint64_t)(c->end - u->dwarf->info.at);
	u->version = (unsigned)read_fixed(c, 2);
	if (u->version >= 5) {
		kind = read_fixed(c, 1);
		u->address_size = (unsigned)read_fixed(c, 1);
	}
	abbreviations = read_fixed(c, u->offset_size);
	if (u->version < 5)
		u->address_size = (unsigned)read_fixed(c, 1);
	if (kind == SKELETON || kind == SPLIT || kind == TYPE || kind == SPLIT_TYPE)
		read_fixed(c, kind == TYPE || kind == SPLIT_TYPE ? 8 + u->offset_size : 8);
	c->bad |= u->version < 2 || u->version > 5 || u->address_size > 8;
	if (!c->bad)
		read_abbreviations(u, abbreviations);
	return true;
}

void dwarf_each(const struct dwarf *d, dwarf_call *call, void *arg)
{
	uint64_t offset = 0;

	for (;;) {
		struct unit u = {.dwarf = d};
		bool found = next_unit(&u, &offset);

		if (found)
			each_entry(&u, call, arg);
		free(u.abbreviations);
		if (!found)
			return;
	}
}

/* ---- sections ---- */

static struct dwarf_section section_of(const struct elf_file *f, const char *name)
{
	GElf_Shdr header;
	Elf_Scn *section = elf_file_section(f, name, &header);
	Elf_Data *data = section && !(header.sh_flags & SHF_COMPRESSED) ? f->elf.elf_getdata(section, NULL) : NULL;

	return data && data->d_buf ? (struct dwarf_section){data->d_buf, data->d_size}
				   : (struct dwarf_section){NULL, 0};
}

bool dwarf_open(struct dwarf *d, const struct elf_file *f)
{
	*d = (struct dwarf){.info = section_of(f, ".debug_info"), .abbrev = section_of(f, ".debug_abbrev")};
	if (!d->info.at || !d->abbrev.at)
		return false;
	d->strings = section_of(f, ".debug_str");
	d->line_strings = section_of(f, ".debug_line_str");
	d->string_offsets = section_of(f, ".debug_str_offsets");
	d->addresses = section_of(f, ".debug_addr");
	return true;
}
