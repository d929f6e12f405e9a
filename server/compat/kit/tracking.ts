/** Opens and clicks are counted together here: when one of them shall not be counted, none is. */
export function trackingBy(switches: readonly (boolean | null | undefined)[]): boolean | undefined {
  if (switches.includes(false)) return false
  return switches.includes(true) ? true : undefined
}
