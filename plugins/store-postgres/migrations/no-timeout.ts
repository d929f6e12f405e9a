/** The first statement of every migration: unlike other statements, a migration may take as long as it needs. */
export const NO_TIMEOUT = 'set local statement_timeout to 0'
