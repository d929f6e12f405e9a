import { errorCode } from '../../core/values/error-code.ts'

/** The SQLSTATE of a PostgreSQL error, such as `23505`, or a socket error's code; undefined for any other error. */
export function postgresCode(error: unknown): string | undefined {
  const code = errorCode(error)
  if (typeof code === 'string' && CODE.test(code)) return code
  if (!(error instanceof Error)) return undefined
  return postgresCode(error.cause ?? ('previous' in error ? error.previous : undefined))
}

/** Whether a unique index refused the write. */
export function isTaken(error: unknown): boolean {
  return postgresCode(error) === '23505'
}

/** Whether two transactions conflicted and PostgreSQL ended this one (40001, 40P01). */
export function isLostRace(error: unknown): boolean {
  return /^40(?:001|P01)$/.test(postgresCode(error) ?? '')
}

/**
 * Whether the server cannot be reached, is shutting down or starting, has no room, is read-only, or took too long. Also
 * when the connection was lost, which the driver reports without a code.
 */
export function isUnavailable(error: unknown): boolean {
  const code = postgresCode(error)
  if (code !== undefined) return UNAVAILABLE.test(code)
  return error instanceof Error && LOST.test(error.message)
}

const CODE = /^(?:[0-9A-Z]{5}|E[A-Z_]+)$/

/** Whether what is written is not kept: the disk is full or fails, a page is damaged, or the server is read-only. */
export function isLostWrite(error: unknown): boolean {
  return /^(?:25006|53100|58...|XX00[12])$/.test(postgresCode(error) ?? '')
}

/** Whether an earlier statement of the transaction failed, so that PostgreSQL refuses this one (25P02). */
export function isBehindFailure(error: unknown): boolean {
  return postgresCode(error) === '25P02'
}

/** Whether the statement hit its time limit (57014). */
export function isLate(error: unknown): boolean {
  return postgresCode(error) === '57014'
}

/** Classes and codes of PostgreSQL's appendix A, and those of sockets and name look-ups. */
const UNAVAILABLE =
  /^(?:08...|28...|3D000|40001|40P01|25006|53...|55P03|57014|57P0[1-5]|58...|XX001|XX002|E(?:CONN[A-Z]+|PIPE|TIMEDOUT|NOTFOUND|AI_[A-Z]+|HOST[A-Z]+|NET[A-Z]+|NOENT|ACCES|ADDRNOTAVAIL|MFILE))$/

const LOST =
  /^(?:Connection terminated|timeout (?:exceeded when trying to connect|expired)|Client (?:was closed|has encountered a connection error)|Query read timeout|Cannot use a pool after|The server does not support SSL)/
