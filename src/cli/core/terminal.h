/*
 * terminal.h - what the reader of stdout sees it with.
 * Layer: cli.
 */
#ifndef JR_CLI_TERMINAL_H
#define JR_CLI_TERMINAL_H

#include "report/text/text_layout.h"

/**
 * Width: COLUMNS where it is a number, else the terminal's, else 80; within JR_TEXT_WIDTH_MIN and
 * _MAX. Colours where stdout is a terminal (TERM other than "dumb") and NO_COLOR is not set
 * (https://no-color.org).
 */
struct jr_text_style jr_terminal_style(void);

/** Append path[n] for stdout: as it is where a program reads that, without the control characters
 * that a terminal would obey where it is one. */
void jr_terminal_put_path(struct jr_buf *out, const char *path, size_t n);

#endif
