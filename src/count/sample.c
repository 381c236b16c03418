#include "count/sample.h"

#include "lib/wide.h"

struct sample sample_add(struct sample a, struct sample b)
{
	return (struct sample){a.value + b.value, a.enabled + b.enabled, a.running + b.running};
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
	return wide_multiply_divide(s.value, s.enabled, s.running / 2, s.running);
}

bool sample_is_starved(struct sample s)
{
	return s.enabled > 0 && s.running == 0;
}

bool sample_is_scaled(struct sample s)
{
	return s.running > 0 && s.running < s.enabled;
}
