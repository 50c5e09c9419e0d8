/* The device that XLA compiled for: what is read from the text, what is refused, and where
 * archives store it. */
#include "zip_maker.h"

#include "base/cleanup.h"
#include "formats/hlo/target_config.h"
#include "model/kinds/archives.h"

#define H100                                                                                       \
	"gpu_device_info {\n  core_count: 132\n  memory_bandwidth: 3352320000000\n"                   \
	"  clock_rate_ghz: 1.98\n  cuda_compute_capability {\n    major: 9\n  }\n}\n" \
	"platform_name: \"CUDA\"\ndnn_version_info {\n  major: 8\n}\n" \
	"device_description_str: \"NVIDIA H100 80GB HBM3\"\n"

static enum jr_status read_text(
	const char *text, size_t n, struct jr_target_config *config, struct jr_error *err)
{
	*err = (struct jr_error){0};
	/* a copy of exact size, so that ASan detects a read past its end */
	char *copy = malloc(n ? n : 1);
	assert_non_null(copy);
	memcpy(copy, text, n);
	enum jr_status status = jr_target_config_read(jr_bytes_of(copy, n), config, err);
	free(copy);
	assert_int_equal(err->status, status);
	return status;
}

static void expect(const char *text, const char *expected)
{
	struct jr_target_config c;
	struct jr_error err;
	if (read_text(text, strlen(text), &c, &err) != JR_OK)
		fail_msg("%s: %s", text, err.message);
	char got[300];
	snprintf(got, sizeof(got), "%s|%llu|%llu|%llu|%u", c.name,
		(unsigned long long)c.memory_bandwidth_bytes_s, (unsigned long long)c.sm_count,
		(unsigned long long)c.clock_hz, c.compute_capability);
	assert_string_equal(got, expected);
}

static UNIT(what_is_read)
{
	expect(H100, "NVIDIA H100 80GB HBM3|3352320000000|132|1980000000|90");
	expect("", "|0|0|0|0");
	expect("# nothing but a comment", "|0|0|0|0");
	expect("gpu_device_info < cuda_compute_capability: < minor: 9, major: 8; > core_count: 58 >",
		"|0|58|0|89");
	/* only from the message that it belongs to; the last one counts if it is repeated */
	expect("core_count: 7 cuda_compute_capability { major: 7 } a { core_count: 3 }", "|0|0|0|0");
	expect("gpu_device_info { core_count: 7 core_count: 8 cuda_compute_capability { minor: 3 } "
		   "cuda_compute_capability { major: 10 minor: 3 } }", "|0|8|0|103");
	/* lists, extensions, names of values, several texts joined */
	expect("gpu_device_info { a: [1, -2.5e3, x] b: [] c: [{ d: 'e' }, <>] [f.g/H] { i: J } "
		   "core_count: 1 } device_description_str: 'A' \"B\"", "B|0|1|0|0");
	expect("device_description_str: \"a \\\" b\"", "a \\\" b|0|0|0|0");
}

static UNIT(what_no_device_has)
{
	expect("gpu_device_info { core_count: -1 memory_bandwidth: 99999999999999999999 "
		   "clock_rate_ghz: 1e300 cuda_compute_capability { major: 100 } }", "|0|0|0|0");
	expect("gpu_device_info { core_count: x clock_rate_ghz: nan cuda_compute_capability { major: 9 "
		   "minor: 10 } }", "|0|0|0|0");
	expect("gpu_device_info { core_count { } clock_rate_ghz: 'a' }", "|0|0|0|0");
}

static UNIT(what_is_refused)
{
	static const char *const cases[] = {"a", "a {", "a }", "a: {", "a: \"b", "a: \"b\n\"", "a: [1",
		"a: [1,]", "a: [,]", ":", "{", "}", "a: }", "a <}", "[a", "[a b]: 1", "\x80: 1", "a: \x01",
		"a: 'b\\'", "a: 1 }"};
	for (size_t i = 0; i < JR_COUNT_OF(cases); i++) {
		struct jr_target_config c;
		struct jr_error err;
		if (read_text(cases[i], strlen(cases[i]), &c, &err) != JR_EFORMAT)
			fail_msg("'%s' is taken", cases[i]);
		assert_non_null(strstr(err.message, "at byte"));
	}
	/* Each prefix of a valid text is read or refused. */
	for (size_t n = 0; n < sizeof(H100) - 1; n++) {
		struct jr_target_config c;
		struct jr_error err;
		(void)read_text(H100, n, &c, &err);
	}
}

static UNIT(deep_and_long)
{
	struct jr_target_config c;
	struct jr_error err;
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	for (size_t i = 0; i < 50000; i++)
		jr_buf_puts(&text, "a{");
	assert_int_equal(read_text(text.data, text.size, &c, &err), JR_ELIMIT);
	text.size = 0;
	for (uint64_t i = 0; i <= JR_TARGET_CONFIG_MOST_BYTES; i++)
		jr_buf_putc(&text, ' ');
	assert_int_equal(read_text(text.data, text.size, &c, &err), JR_ELIMIT);
	assert_int_equal(read_text(text.data, text.size - 1, &c, &err), JR_OK);
	text.size = 0;
	jr_buf_puts(&text, "device_description_str: \"");
	for (size_t i = 0; i < 1000; i++)
		jr_buf_putc(&text, 'x');
	jr_buf_putc(&text, '"');
	assert_int_equal(read_text(text.data, text.size, &c, &err), JR_OK);
	assert_int_equal(strlen(c.name), sizeof(c.name) - 1);
}

/* --- in an archive -----------------------------------------------------------------------------
 */

struct found {
	char text[200];
	struct jr_error error;
};

static struct found read_archive(const struct zip_maker *made, const char *part)
{
	struct zip_maker m = *made;
	struct found found = {.text = "none"};
	struct jr_buf zip = zip_end(&m);
	struct jr_archive *archive = zip_archive(&zip);
	struct jr_limits limits = jr_limits_default();
	struct jr_source source;
	jr_source_init(&source, 0, "x.zip", part, archive, &limits);
	jr_source_read_trace(&source);
	const struct jr_metadata *meta = &source.metadata;
	assert_int_equal(meta->gpus_of_target, meta->n_gpus > 0);
	if (meta->n_gpus)
		snprintf(found.text, sizeof(found.text), "%s %u",
			jr_intern_str(&meta->strings, meta->gpus[0].name), meta->gpus[0].compute_capability);
	found.error = source.metadata_error;
	jr_source_done(&source);
	jr_archive_close(archive);
	jr_buf_done(&zip);
	return found;
}

static UNIT(the_first_of_an_archive)
{
	struct zip_maker m = zip_begin();
	zip_add_text(&m, "dump/module_0001.a.autotune_results.pbtxt", "damaged {");
	zip_add_text(&m, "dump/module_0002.b.gpu_target_config.pbtxt", H100);
	zip_add_text(&m, "dump/module_0003.c.gpu_target_config.pbtxt", "damaged {");
	struct found found = read_archive(&m, NULL);
	assert_string_equal(found.text, "NVIDIA H100 80GB HBM3 90");
	assert_int_equal(found.error.status, JR_OK);
	/* in a combined archive, the one of the process */
	m = zip_begin();
	zip_add_text(&m, "dump/module_0002.b.gpu_target_config.pbtxt/other", "damaged {");
	zip_add_text(&m, "dump/module_0002.b.gpu_target_config.pbtxt/own",
		"device_description_str: 'A\nB'");
	zip_add_text(&m, "dump/module_0003.b.gpu_target_config.pbtxt/own", H100);
	found = read_archive(&m, "own");
	assert_string_equal(found.text, "none");
	assert_non_null(strstr(found.error.message, "module_0002.b.gpu_target_config.pbtxt/own"));
}

static UNIT(one_that_is_none)
{
	struct zip_maker m = zip_begin();
	zip_add_text(&m, "dump/module_0001.a.gpu_target_config.pbtxt.xz", "not in xz");
	struct found found = read_archive(&m, NULL);
	assert_string_equal(found.text, "none");
	assert_int_equal(found.error.status, JR_EFORMAT);
	JR_CLEANUP(jr_buf_done) struct jr_buf text = {0};
	for (uint64_t i = 0; i <= JR_TARGET_CONFIG_MOST_BYTES; i++)
		jr_buf_putc(&text, ' ');
	m = zip_begin();
	zip_add_bytes(
		&m, "dump/module_0001.a.gpu_target_config.pbtxt", text.data, text.size, ZIP_CM_STORE);
	found = read_archive(&m, NULL);
	assert_int_equal(found.error.status, JR_ELIMIT);
	/* a name from an input is cleaned here */
	m = zip_begin();
	zip_add_text(
		&m, "dump/module_0001.a.gpu_target_config.pbtxt", "device_description_str: 'A\x1b[1m'");
	assert_string_equal(read_archive(&m, NULL).text, "A\xe2\x90\x9b[1m 0");
}
