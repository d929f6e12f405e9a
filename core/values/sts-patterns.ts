/** Whether one of the patterns of an MTA-STS policy stands for this host: `*.` stands for one label (RFC 8461, section 4.1). */
export function isCovered(host: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.startsWith('*.') ? host.slice(host.indexOf('.')) === pattern.slice(1) : host === pattern,
  )
}
