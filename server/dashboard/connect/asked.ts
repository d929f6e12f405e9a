/** A request of a program, as far as it is shown. */
export interface Asked {
  readonly name: string
  /** Where the program lives, as it said itself. */
  readonly host: string
  readonly rights: readonly string[]
}

/**
 * The parts of a request that are shown, from the text that the server has signed; undefined when it is none. The signature is checked when the
 * answer is sent: one that was made up shows a name and leads nowhere.
 */
export function askedIn(request: string): Asked | undefined {
  try {
    const bytes = Uint8Array.from(
      atob((request.split('.')[0] ?? '').replaceAll('-', '+').replaceAll('_', '/')),
      (sign) => sign.charCodeAt(0),
    )
    const { name, host, rights } = JSON.parse(new TextDecoder().decode(bytes))
    const isRight = typeof name === 'string' && typeof host === 'string' && Array.isArray(rights)
    return isRight ? { name, host, rights } : undefined
  } catch {
    return undefined
  }
}
