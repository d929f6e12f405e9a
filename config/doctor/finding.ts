/** The result of one look at an installation. */
export interface Finding {
  /** The part that was looked at: `store`, `transport main`, `dns example.com` … */
  readonly part: string
  /** `warning`: it works, but something should be done; `unknown`: it could not be looked at. */
  readonly state: 'ok' | 'warning' | 'problem' | 'unknown'
  /** The result and, unless all is well, what to do. */
  readonly says: string
}

/** The result at a part that is known by its place. */
export type Found = Omit<Finding, 'part'>

/** How long each look may take, in milliseconds. */
const PATIENCE_MS = 15_000

/** Looks at one part, not longer than allowed. What goes wrong is a problem of the part. */
export async function look<Seen extends Found>(
  part: string,
  work: () => Promise<Seen>,
): Promise<Finding & Partial<Seen>> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<Found>((resolve) => {
    const says = `gave no answer within ${PATIENCE_MS / 1000} s`
    timer = setTimeout(() => resolve({ state: 'problem', says }), PATIENCE_MS)
  })
  const found = await Promise.race([work(), late])
    .catch((error): Found => ({ state: 'problem', says: error instanceof Error ? error.message : String(error) }))
    .finally(() => clearTimeout(timer))
  return { part, ...(found as Found & Partial<Seen>) }
}
