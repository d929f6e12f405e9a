/** The first statement of every migration: it may take as long as it needs, unlike the statements of calls. */
export const NO_TIMEOUT = 'set local statement_timeout to 0'
