/** EX_USAGE of sysexits.h: an argument is wrong. */
export const EX_USAGE = 64
/** EX_UNAVAILABLE of sysexits.h: the server does not answer. */
export const EX_UNAVAILABLE = 69
/** EX_NOPERM of sysexits.h: the server refuses the key. */
export const EX_NOPERM = 77
/** EX_CONFIG of sysexits.h: a variable is missing, or the address is not that of a Mailwright. */
export const EX_CONFIG = 78

/** Why a command that asks a running server cannot do its work: what to print, and the exit code. */
export class RemoteProblem extends Error {
  constructor(
    message: string,
    readonly exitCode: number,
  ) {
    super(message)
  }
}
