import { EngineError } from '../../../core/errors.ts'
import { tryToListen } from '../net/try-to-listen.ts'

/** Rejects with a sentence for the operator when no receiver could listen there now. */
export async function requireFreePort({ host, port }: { readonly host: string; readonly port: number }): Promise<void> {
  await tryToListen(host, port).catch((error: NodeJS.ErrnoException) => {
    throw cannotListen(host, port, error)
  })
}

/** Why it cannot listen, and what to do about it. */
export function cannotListen(host: string, port: number, cause: NodeJS.ErrnoException): EngineError {
  const { code = '' } = cause
  const advice = Object.hasOwn(ADVICE, code) ? `${ADVICE[code]} (${code})` : cause.message
  return new EngineError('SERVICE_UNAVAILABLE', `port ${port} of ${host}: ${advice}`, { cause })
}

const ADVICE: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program has it: stop that, or set another `port`',
  EACCES: 'this user may not listen there: set a `port` above 1023, or permit it (docs/inbound.md)',
  EADDRNOTAVAIL: 'this machine has no such address: set `host` to one it has',
  ENOTFOUND: 'there is no such name: set `host` to an address of this machine',
}
