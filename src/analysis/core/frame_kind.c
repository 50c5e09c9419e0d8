#include "analysis/core/frame_kind.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"

/*
 * The first matching row decides. `path` matches anywhere in "/" + the file's path. In it '#'
 * matches a digit, and a leading "/" the start of a folder or file name.
 */
struct rule {
	const char *path;     /* NULL: any */
	const char *function; /* NULL: any; else the last part of the function's name */
	enum jr_frame_kind kind;
};

static const struct rule rules[] = {
	/* files that only forward calls */
	{"/absl/app.py", NULL, JR_FRAME_WRAPPER},
	{"/flax/linen/module.py", NULL, JR_FRAME_WRAPPER},
	{"/flax/linen/transforms.py", NULL, JR_FRAME_WRAPPER},
	{"/flax/linen/spmd.py", NULL, JR_FRAME_WRAPPER},
	{"/flax/linen/partitioning.py", NULL, JR_FRAME_WRAPPER},
	{"/flax/core/", NULL, JR_FRAME_WRAPPER},
	{"/flax/nnx/transforms/", NULL, JR_FRAME_WRAPPER},
	{"/flax/nnx/module.py", NULL, JR_FRAME_WRAPPER},
	{"/flax/nnx/object.py", NULL, JR_FRAME_WRAPPER},
	{"/flax/nnx/graph.py", NULL, JR_FRAME_WRAPPER},
	{"/haiku/_src/module.py", NULL, JR_FRAME_WRAPPER},
	{"/haiku/_src/transform.py", NULL, JR_FRAME_WRAPPER},
	{"/haiku/_src/stateful.py", NULL, JR_FRAME_WRAPPER},
	{"/haiku/_src/base.py", NULL, JR_FRAME_WRAPPER},
	{"/haiku/_src/lift.py", NULL, JR_FRAME_WRAPPER},
	{"/equinox/_module.py", NULL, JR_FRAME_WRAPPER},
	{"/equinox/_module/", NULL, JR_FRAME_WRAPPER},
	{"/equinox/_jit.py", NULL, JR_FRAME_WRAPPER},
	{"/equinox/_ad.py", NULL, JR_FRAME_WRAPPER},
	{"/equinox/_vmap_pmap.py", NULL, JR_FRAME_WRAPPER},
	{"/equinox/internal/", NULL, JR_FRAME_WRAPPER},
	{"/jax/_src/ad_checkpoint.py", NULL, JR_FRAME_WRAPPER},
	{"/jax/_src/api.py", NULL, JR_FRAME_WRAPPER},
	{"/jax/_src/api_util.py", NULL, JR_FRAME_WRAPPER},
	{"/jax/_src/checkify.py", NULL, JR_FRAME_WRAPPER},
	{"/jax/_src/core.py", NULL, JR_FRAME_WRAPPER},
	{"/jax/_src/custom_batching.py", NULL, JR_FRAME_WRAPPER},
	{"/jax/_src/custom_derivatives.py", NULL, JR_FRAME_WRAPPER},
	{"/jax/_src/custom_transpose.py", NULL, JR_FRAME_WRAPPER},
	{"/jax/_src/dispatch.py", NULL, JR_FRAME_WRAPPER},
	{"/jax/_src/interpreters/", NULL, JR_FRAME_WRAPPER},
	{"/jax/_src/lax/control_flow/", NULL, JR_FRAME_WRAPPER},
	{"/jax/_src/linear_util.py", NULL, JR_FRAME_WRAPPER},
	{"/jax/_src/pjit.py", NULL, JR_FRAME_WRAPPER},
	{"/jax/_src/profiler.py", NULL, JR_FRAME_WRAPPER},
	{"/jax/_src/shard_map.py", NULL, JR_FRAME_WRAPPER},
	{"/jax/_src/traceback_util.py", NULL, JR_FRAME_WRAPPER},
	{"/jax/_src/tree_util.py", NULL, JR_FRAME_WRAPPER},
	{"/jax/experimental/shard_map.py", NULL, JR_FRAME_WRAPPER},
	{"/jaxtyping/", NULL, JR_FRAME_WRAPPER},
	{"/typeguard/", NULL, JR_FRAME_WRAPPER},
	{"/beartype/", NULL, JR_FRAME_WRAPPER},
	{"<@beartype", NULL, JR_FRAME_WRAPPER},
	{"<decorator-gen", NULL, JR_FRAME_WRAPPER},
	{"<attrs generated", NULL, JR_FRAME_WRAPPER},
	{"<frozen ", NULL, JR_FRAME_WRAPPER},
	{"/click/core.py", NULL, JR_FRAME_WRAPPER},
	{"/click/decorators.py", NULL, JR_FRAME_WRAPPER},
	{"/fire/core.py", NULL, JR_FRAME_WRAPPER},
	{"/hydra/main.py", NULL, JR_FRAME_WRAPPER},
	{"/hydra/_internal/", NULL, JR_FRAME_WRAPPER},
	{"/hydra/core/", NULL, JR_FRAME_WRAPPER},
	{"/fiddle/", NULL, JR_FRAME_WRAPPER},
	{"/contextlib.py", NULL, JR_FRAME_WRAPPER},
	{"/functools.py", NULL, JR_FRAME_WRAPPER},
	{"/runpy.py", NULL, JR_FRAME_WRAPPER},
	{"/threading.py", NULL, JR_FRAME_WRAPPER},
	{"/concurrent/futures/", NULL, JR_FRAME_WRAPPER},
	{"/debugpy/", NULL, JR_FRAME_WRAPPER},
	{"/pydevd/", NULL, JR_FRAME_WRAPPER},
	/* usual names of decorators, in any code */
	{NULL, "wrapper", JR_FRAME_WRAPPER},
	{NULL, "_wrapper", JR_FRAME_WRAPPER},
	{NULL, "wrapped", JR_FRAME_WRAPPER},
	{NULL, "_wrapped", JR_FRAME_WRAPPER},
	{NULL, "wrapper_fn", JR_FRAME_WRAPPER},
	{NULL, "wrapped_fn", JR_FRAME_WRAPPER},
	{NULL, "wrapped_func", JR_FRAME_WRAPPER},
	{NULL, "wrapped_function", JR_FRAME_WRAPPER},
	{NULL, "wrapped_module_method", JR_FRAME_WRAPPER},
	{NULL, "_call_wrapped_method", JR_FRAME_WRAPPER},
	/* installed by pip, conda or the distribution */
	{"/site-packages/", NULL, JR_FRAME_LIBRARY},
	{"/dist-packages/", NULL, JR_FRAME_LIBRARY},
	{"/lib/python#", NULL, JR_FRAME_LIBRARY},
	{"/lib64/python#", NULL, JR_FRAME_LIBRARY},
	{"/third_party/py/", NULL, JR_FRAME_LIBRARY},
	{"<__array_function__", NULL, JR_FRAME_LIBRARY},
	/* checked out: the package folder inside its repository, or a well-known part */
	{"/absl-py/absl/", NULL, JR_FRAME_LIBRARY},
	{"/chex/chex/", NULL, JR_FRAME_LIBRARY},
	{"/clu/clu/", NULL, JR_FRAME_LIBRARY},
	{"/diffrax/diffrax/", NULL, JR_FRAME_LIBRARY},
	{"/distrax/distrax/", NULL, JR_FRAME_LIBRARY},
	{"/dm-haiku/haiku/", NULL, JR_FRAME_LIBRARY},
	{"/einops/einops/", NULL, JR_FRAME_LIBRARY},
	{"/equinox/equinox/", NULL, JR_FRAME_LIBRARY},
	{"/etils/etils/", NULL, JR_FRAME_LIBRARY},
	{"/flax/flax/", NULL, JR_FRAME_LIBRARY},
	{"/flax/linen/", NULL, JR_FRAME_LIBRARY},
	{"/flax/nnx/", NULL, JR_FRAME_LIBRARY},
	{"/grain/grain/", NULL, JR_FRAME_LIBRARY},
	{"/haiku/_src/", NULL, JR_FRAME_LIBRARY},
	{"/haiku/haiku/", NULL, JR_FRAME_LIBRARY},
	{"/haliax/src/haliax/", NULL, JR_FRAME_LIBRARY},
	{"/jax/_src/", NULL, JR_FRAME_LIBRARY},
	{"/jax/jax/", NULL, JR_FRAME_LIBRARY},
	{"/jaxlib/", NULL, JR_FRAME_LIBRARY},
	{"/keras/keras/", NULL, JR_FRAME_LIBRARY},
	{"/lineax/lineax/", NULL, JR_FRAME_LIBRARY},
	{"/numpyro/numpyro/", NULL, JR_FRAME_LIBRARY},
	{"/optax/_src/", NULL, JR_FRAME_LIBRARY},
	{"/optax/optax/", NULL, JR_FRAME_LIBRARY},
	{"/optimistix/optimistix/", NULL, JR_FRAME_LIBRARY},
	{"/orbax/checkpoint/", NULL, JR_FRAME_LIBRARY},
	{"/penzai/penzai/", NULL, JR_FRAME_LIBRARY},
	{"/praxis/praxis/", NULL, JR_FRAME_LIBRARY},
	{"/rlax/rlax/", NULL, JR_FRAME_LIBRARY},
	{"/seqio/seqio/", NULL, JR_FRAME_LIBRARY},
	{"/tensorflow/python/", NULL, JR_FRAME_LIBRARY},
	{"/transformer_engine/", NULL, JR_FRAME_LIBRARY},
};

static bool begins_with(const char *s, const char *pattern)
{
	for (; *pattern; s++, pattern++) {
		bool digit = jr_is_digit(*s);
		/* Windows separates folders by backslashes. */
		if (*pattern == '#' ? !digit : *s != *pattern && !(*pattern == '/' && *s == '\\'))
			return false;
	}
	return true;
}

static bool has_part(const char *path, const char *pattern)
{
	if (*pattern == '/' && begins_with(path, pattern + 1))
		return true;
	for (; *path; path++)
		if (begins_with(path, pattern))
			return true;
	return false;
}

static bool is_function(const char *function, const char *name)
{
	const char *dot = function ? strrchr(function, '.') : NULL;
	return function && strcmp(dot ? dot + 1 : function, name) == 0;
}

enum jr_frame_kind jr_frame_kind(const char *file, const char *function)
{
	for (size_t i = 0; i < JR_COUNT_OF(rules); i++)
		if ((!rules[i].path || has_part(file, rules[i].path)) &&
			(!rules[i].function || is_function(function, rules[i].function)))
			return rules[i].kind;
	return JR_FRAME_USER;
}

static size_t digits_before(const char *text, size_t end)
{
	size_t n = 0;
	while (n < end && jr_is_digit(text[end - n - 1]))
		n++;
	return n;
}

bool jr_frame_split(const char *text, struct jr_frame_parts *parts)
{
	size_t n = strlen(text);
	if (n == 0 || text[n - 1] != ']')
		return false;
	for (const char *open = strchr(text, '['); open; open = strchr(open + 1, '[')) {
		size_t end = (size_t)(open - text), digits = digits_before(text, end);
		if (digits == 0 || digits == end || text[end - digits - 1] != ':')
			continue;
		size_t before = end - digits - 1, line = digits_before(text, before);
		bool column = line && line < before && text[before - line - 1] == ':';
		*parts = (struct jr_frame_parts){
			column ? before - line - 1 : before, column ? before : end, open + 1, n - end - 2};
		return true;
	}
	return false;
}
