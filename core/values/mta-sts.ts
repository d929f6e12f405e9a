/** Whether one of the patterns of an MTA-STS policy stands for this host: `*.` stands for one label (RFC 8461, section 4.1). */
export function isCovered(host: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) =>
    pattern.startsWith('*.') ? host.slice(host.indexOf('.')) === pattern.slice(1) : host === pattern,
  )
}

/** The ids in the records that say that a domain has an MTA-STS policy (RFC 8461, section 3.1), among these TXT records. */
export function stsIdsIn(texts: readonly string[]): readonly (string | undefined)[] {
  const records = texts.filter((text) => /^v=STSv1\s*;/.test(text))
  return records.map((record) => /;\s*id=([A-Za-z0-9]{1,32})\s*(?:;|$)/.exec(record)?.[1])
}
