#include "stats/sample.h"

#include "lib/number.h"

uint64_t count_add(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

struct sample sample_add(struct sample a, struct sample b)
{
	return (struct sample){count_add(a.value, b.value), count_add(a.enabled, b.enabled),
			       count_add(a.running, b.running)};
}

static uint64_t difference(uint64_t later, uint64_t earlier)
{
	return later > earlier ? later - earlier : 0;
}

struct sample sample_sub(struct sample later, struct sample earlier)
{
	return (struct sample){
		difference(later.value, earlier.value),
		difference(later.enabled, earlier.enabled),
		difference(later.running, earlier.running),
	};
}

uint64_t sample_scale(struct sample s)
{
	if (s.running == 0)
		return 0;
	if (s.running >= s.enabled)
		return s.value;
	return number_multiply_divide(s.value, s.enabled, s.running / 2, s.running);
}

bool sample_is_starved(struct sample s)
{
	return s.enabled > 0 && s.running == 0;
}

bool sample_is_scaled(struct sample s)
{
	return s.running > 0 && s.running < s.enabled;
}
