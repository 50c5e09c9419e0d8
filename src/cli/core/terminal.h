/*
 * terminal.h - width, colors and safe text for stdout.
 * Layer: cli.
 */
#ifndef JR_CLI_TERMINAL_H
#define JR_CLI_TERMINAL_H

#include "report/text/text_layout.h"

/**
 * Return width and colors for stdout. Width: COLUMNS if it is a number, else the terminal's, else
 * 80; within JR_TEXT_WIDTH_MIN and _MAX. Colors if stdout is a terminal (TERM other than "dumb")
 * and NO_COLOR is not set (https://no-color.org).
 */
struct jr_text_style jr_terminal_style(void);

/** Append path[n] for stdout: unchanged if a program reads it; on a terminal without the control
 * characters that it would obey. */
void jr_terminal_put_path(struct jr_buf *out, const char *path, size_t n);

#endif
