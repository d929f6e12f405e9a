import type { SourceFigures } from '../ports/store/domain-reports.ts'
import { serviceOf } from './known-senders.ts'

export const SOURCE_KINDS = ['own', 'service', 'other', 'forwarder', 'unknown'] as const

/** Messages that come from one sender in the name of the domain. */
export interface ReportedSource {
  /**
   * `own`: signed with a key of this server. `service`: of a company that sends for others. `other`: of a program that
   * is not known, but speaks for the domain. `forwarder`: passed on by a mailbox or a list. `unknown`: of a stranger, perhaps.
   */
  readonly kind: (typeof SOURCE_KINDS)[number]
  /** The service, or the domain or address that the mail came from. Empty for `own`, and for the rest of a very long report. */
  readonly name: string
  /** How many addresses they came from. */
  readonly addresses: number
  /** The busiest of these addresses, up to five. */
  readonly examples: readonly string[]
  /** How many messages came from it. */
  readonly messages: number
  /** How many of them passed DMARC. */
  readonly passed: number
  /** How many a signature spoke for. */
  readonly byDkim: number
  /** How many SPF spoke for. */
  readonly bySpf: number
  /** How many receivers put into spam. */
  readonly quarantined: number
  /** How many receivers refused. */
  readonly rejected: number
}

/** How many addresses are named of one sender. */
const EXAMPLES = 5

/** Why a receiver lets mail through that fails: another passed it on (RFC 9990, section 3.1.1.11). */
const PASSED_ON = /\b(?:forwarded|mailing_list|trusted_forwarder|arc)\b/

/** The marks of a domain's own mail: its name in ASCII, and the selectors of its keys here. */
export interface OwnKeys {
  readonly domain: string
  readonly selectors: ReadonlySet<string>
}

/** Puts the sources of reports together, by who they are; most messages first. */
export function sendersIn(figures: readonly SourceFigures[], own: OwnKeys): readonly ReportedSource[] {
  const named = figures.map((each) => ({ ...each, ...whoIs(each, own) }))
  const groups = Map.groupBy(named, ({ kind, name }) => `${kind} ${name}`)
  const senders = [...groups.values()].flatMap((group): ReportedSource[] => {
    const [first] = group
    if (first === undefined) return []
    const sum = (of: (each: SourceFigures) => number) => group.reduce((total, each) => total + of(each), 0)
    const addresses = new Set(group.map(({ ip }) => ip).filter(Boolean))
    return [
      {
        kind: first.kind,
        name: first.name,
        addresses: addresses.size,
        examples: [...addresses].slice(0, EXAMPLES),
        messages: sum(({ messages }) => messages),
        passed: sum(({ passed }) => passed),
        byDkim: sum(({ byDkim }) => byDkim),
        bySpf: sum(({ bySpf }) => bySpf),
        quarantined: sum(({ quarantined }) => quarantined),
        rejected: sum(({ rejected }) => rejected),
      },
    ]
  })
  return senders.toSorted((a, b) => b.messages - a.messages || (a.name < b.name ? -1 : 1))
}

function whoIs(figures: SourceFigures, own: OwnKeys): Pick<ReportedSource, 'kind' | 'name'> {
  const { ip, dkimDomain, dkimSelector, spfDomain, reason, byDkim, passed } = figures
  const from = spfDomain || dkimDomain || ip
  // the rest of a very long report, in which yours and those of strangers are not told apart
  if (from === '') return { kind: 'unknown', name: '' }
  const isOurs = dkimDomain === own.domain && own.selectors.has(dkimSelector)
  const service = serviceOf(spfDomain) ?? serviceOf(dkimDomain)
  // who passes mail on keeps its signature, and has a return path of its own
  const isElsewhere = spfDomain !== '' && !isWithin(spfDomain, own.domain)
  if (PASSED_ON.test(reason)) return { kind: 'forwarder', name: service ?? from }
  if (isOurs && (!isElsewhere || service !== undefined)) return { kind: 'own', name: '' }
  if (service !== undefined) return { kind: 'service', name: service }
  if (byDkim > 0 && isElsewhere) return { kind: 'forwarder', name: from }
  return passed > 0 ? { kind: 'other', name: from } : { kind: 'unknown', name: from }
}

/** Whether a domain is this one or below it. */
export function isWithin(domain: string, above: string): boolean {
  return domain === above || domain.endsWith(`.${above}`)
}
