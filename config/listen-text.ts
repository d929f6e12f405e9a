/** An error of the system: it has a code, and of a port that cannot be had its place. */
interface SystemError extends Error {
  readonly code: string
  readonly syscall?: string
  readonly address?: string
  readonly port?: number
}

/** An error of the system or a driver: these have a code, and a clear message. */
export function asSystemError(error: unknown): SystemError | undefined {
  const coded = error instanceof Error && 'code' in error && typeof error.code === 'string'
  return coded ? (error as SystemError) : undefined
}

/** Why a server cannot listen, and what to do about it. */
export function listenText({ code, address, port, message }: SystemError): string {
  const place = `port ${port} of ${address}`
  if (code === 'EADDRINUSE')
    return `The ${place} is in use: stop what uses it, or set server.port (or PORT, or --port) to another.`
  if (code === 'EACCES') return `The ${place} is not open to this user: set server.port (or PORT) to one above 1023.`
  if (code === 'EADDRNOTAVAIL')
    return `This machine has no address ${address}: set server.host (or HOST) to one it has.`
  return `Mailwright could not listen: ${message}`
}
