/** Senders that are not a person, by the name before the `@` (RFC 2142, RFC 5230, section 4.6). */
const MACHINES =
  /^(?:mailer-daemon|postmaster|listserv|majordomo|bounces?|no[-_.]?reply.{0,20}|(?:.{1,40}[-_.+])?(?:no[-_.]?reply|do[-_.]?not[-_.]?reply)|auto[-_.]?(?:reply|respon(?:se|der)|mailer)|ne[-_.]?pas[-_.]?repondre|nicht[-_.]?antworten|keine[-_.]?antwort|no[-_.]?respond[ae]r?|nao[-_.]?responda|non[-_.]?rispondere|niet[-_.]?(?:be)?antwoorden|nie[-_.]?odpowiadaj|.*-(?:owner|request|bounces))$/i

/** Whether the name before the `@` is one under which no person reads. */
export function isMachineName(local: string): boolean {
  return MACHINES.test(local)
}

/** Whether no person reads what is written to this address, by its name. */
export function isMachineAddress(address: string): boolean {
  return isMachineName(address.slice(0, address.lastIndexOf('@')))
}
