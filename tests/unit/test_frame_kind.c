/* Who owns the code of a Python frame. */
#include <stdio.h>

#include "unit.h"

#include "analysis/core/frame_kind.h"
#include "base/cleanup.h"

struct expected {
	const char *file, *function;
	enum jr_frame_kind kind;
};

static void assert_kinds(const struct expected *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (jr_frame_kind(all[i].file, all[i].function) != all[i].kind)
			fail_msg("%s[%s]: kind %d, not %d", all[i].file,
				all[i].function ? all[i].function : "NULL",
				jr_frame_kind(all[i].file, all[i].function), all[i].kind);
}

static UNIT(users_own)
{
	static const struct expected all[] = {
		{"/opt/maxtext/MaxText/train.py", "train_step", JR_FRAME_USER},
		{"/opt/maxtext/MaxText/layers/attentions.py", "__call__", JR_FRAME_USER},
		{"/opt/paxml/paxml/trainer_lib.py", "train_step_single_learner", JR_FRAME_USER},
		{"train.py", "<module>", JR_FRAME_USER},
		{"/home/me/lib/python_tools/train.py", "f", JR_FRAME_USER},
		{"/home/me/jax-experiments/model.py", "f", JR_FRAME_USER},
		{"/home/me/optax.py", "f", JR_FRAME_USER},
		{"/home/me/myflax/module.py", "f", JR_FRAME_USER},
		{"/tmp/ipykernel_17/2431.py", "<module>", JR_FRAME_USER},
		{"<ipython-input-3-0a1>", "<lambda>", JR_FRAME_USER},
		{"<stdin>", "<module>", JR_FRAME_USER},
		{"C:\\work\\model.py", "loss", JR_FRAME_USER},
		{"", "", JR_FRAME_USER},
		{"/", NULL, JR_FRAME_USER},
	};
	assert_kinds(all, JR_COUNT_OF(all));
}

static UNIT(libraries)
{
	static const struct expected all[] = {
		{"/usr/local/lib/python3.10/dist-packages/optax/_src/clipping.py", "update_fn",
			JR_FRAME_LIBRARY},
		{"/opt/conda/lib/python3.12/site-packages/mine/model.py", "f", JR_FRAME_LIBRARY},
		{"/usr/lib64/python3.9/json/decoder.py", "decode", JR_FRAME_LIBRARY},
		{"/usr/lib/python3.11/random.py", "shuffle", JR_FRAME_LIBRARY},
		{"C:\\Python311\\Lib\\site-packages\\optax\\x.py", "f", JR_FRAME_LIBRARY},
		{"/opt/flax/flax/linen/linear.py", "__call__", JR_FRAME_LIBRARY},
		{"/opt/praxis/praxis/layers/attentions.py", "_dot_atten", JR_FRAME_LIBRARY},
		{"/opt/jax/jax/_src/nn/functions.py", "softmax", JR_FRAME_LIBRARY},
		{"/src/equinox/equinox/nn/_linear.py", "__call__", JR_FRAME_LIBRARY},
		{"/opt/dm-haiku/haiku/_src/basic.py", "__call__", JR_FRAME_LIBRARY},
		/* the beginning may have been stripped */
		{"flax/linen/linear.py", "__call__", JR_FRAME_LIBRARY},
		{"praxis/praxis/layers/attentions.py", "f", JR_FRAME_LIBRARY},
	};
	assert_kinds(all, JR_COUNT_OF(all));
}

static UNIT(wrappers)
{
	static const struct expected all[] = {
		{"/opt/flax/flax/linen/module.py", "wrapped_module_method", JR_FRAME_WRAPPER},
		{"/opt/flax/flax/linen/module.py", "_call_wrapped_method", JR_FRAME_WRAPPER},
		{"/opt/flax/flax/core/axes_scan.py", "body_fn", JR_FRAME_WRAPPER},
		{"flax/flax/core/lift.py", "inner", JR_FRAME_WRAPPER},
		{"/usr/local/lib/python3.10/dist-packages/absl/app.py", "_run_main", JR_FRAME_WRAPPER},
		{"/opt/jax/jax/_src/pjit.py", "cache_miss", JR_FRAME_WRAPPER},
		{"/usr/lib/python3.11/contextlib.py", "inner", JR_FRAME_WRAPPER},
		{"<frozen runpy>", "_run_code", JR_FRAME_WRAPPER},
		{"/opt/praxis/praxis/py_utils.py", "wrapper", JR_FRAME_WRAPPER},
		{"/home/me/train.py", "timed.<locals>.wrapper", JR_FRAME_WRAPPER},
		{"/home/me/train.py", "wrapper", JR_FRAME_WRAPPER},
		{"/home/me/train.py", "wrapper_of_mine", JR_FRAME_USER},
		{"/home/me/train.py", NULL, JR_FRAME_USER},
	};
	assert_kinds(all, JR_COUNT_OF(all));
	assert_true(jr_kind_is_library(JR_FRAME_WRAPPER));
	assert_true(jr_kind_is_library(JR_FRAME_LIBRARY));
	assert_false(jr_kind_is_library(JR_FRAME_USER));
}
