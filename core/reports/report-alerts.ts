import { domainToASCII } from 'node:url'
import type { DomainReport, ReportDay } from '../ports/store/domain-reports.ts'
import type { SenderDomain } from '../ports/store/domains.ts'
import type { Store } from '../ports/store/store.ts'
import { type ReportedSource, sendersIn } from './report-sources.ts'

const DAY_MS = 86_400_000
/** How many sources and TLS reports are looked at. */
const MOST = { sources: 5_000, tls: 400 }

/** Over how many days news is looked for, and how many days before them it is compared with. */
const ALERT_DAYS = { recent: 7, before: 30 }

/** From how many days with reports on there is something to compare with. */
const KNOWN_DAYS = 7
/** From how many failing messages on a new sender matters; of its messages most have to fail. */
const FAILING = 20
/** From how many messages on a rate says something, and how far it has to fall. */
const RATE = { messages: 100, fall: 0.1 }
/** From how many failed connections on they matter, and from which share on. */
const TLS = { failed: 10, share: 0.01 }

/** News in the reports on a domain that its owner should look at. */
export type ReportAlert =
  /** A sender that was not there before, and whose mail fails. */
  | {
      readonly kind: 'sender'
      /** A service that is known, or else the domain or address that its mail came from by the reports. */
      readonly name: string
      readonly isKnown: boolean
      /** The address that most of it came from. */
      readonly address: string
      readonly messages: number
      readonly failed: number
    }
  /** Less of the domain's own mail passes than before, in percent. */
  | { readonly kind: 'passRate'; readonly before: number; readonly now: number; readonly messages: number }
  /** Connections to the domain's mail exchangers were not encrypted as they should be. */
  | { readonly kind: 'tls'; readonly sessions: number; readonly failed: number }

/** The reports that are compared. */
interface Compared {
  /** The days before them that have reports. */
  readonly daysBefore: readonly ReportDay[]
  /** The senders of the last days. */
  readonly recent: readonly ReportedSource[]
  /** Those of the last days and of the days before. */
  readonly all: readonly ReportedSource[]
  /** TLS reports of the last days. */
  readonly tls: readonly DomainReport[]
}

/** The news in the reports on a domain, as of `now`. */
export async function alertsOn(
  { domainReports }: Store,
  row: SenderDomain,
  now: Date,
): Promise<readonly ReportAlert[]> {
  const { projectId, id } = row
  const today = Math.floor(now.getTime() / DAY_MS)
  const [recent, before] = [today - ALERT_DAYS.recent, today - ALERT_DAYS.recent - ALERT_DAYS.before]
  const [since, sinceBefore] = [new Date(recent * DAY_MS), new Date(before * DAY_MS)]
  const own = { domain: domainToASCII(row.domain), selectors: new Set(row.keys.map(({ selector }) => selector)) }
  const days = await domainReports.days(projectId, id, sinceBefore)
  return alertsIn({
    daysBefore: days.filter(({ day }) => day < recent),
    recent: sendersIn(await domainReports.sources(projectId, id, since, MOST.sources), own),
    all: sendersIn(await domainReports.sources(projectId, id, sinceBefore, MOST.sources), own),
    tls: await domainReports.tls(projectId, id, since, MOST.tls),
  })
}

/** The news of the last days. Where nothing is known of the days before, only TLS is judged. */
export function alertsIn({ daysBefore, recent, all, tls }: Compared): readonly ReportAlert[] {
  const isKnown = daysBefore.length >= KNOWN_DAYS
  return [...(isKnown ? newSender(recent, all) : []), ...(isKnown ? fallenRate(recent, all) : []), ...failedTls(tls)]
}

/** The one with the most failing messages. */
function newSender(recent: readonly ReportedSource[], all: readonly ReportedSource[]): readonly ReportAlert[] {
  const wholes = new Map(all.map((each) => [keyOf(each), each.messages]))
  const [worst] = recent
    .filter((each) => each.kind !== 'own' && each.kind !== 'forwarder' && wholes.get(keyOf(each)) === each.messages)
    .flatMap(({ kind, name, examples: [address], messages, passed }) =>
      // the rest of a very long report is of many
      address === undefined ? [] : { name, isKnown: kind === 'service', address, messages, failed: messages - passed },
    )
    .filter(({ messages, failed }) => failed >= FAILING && failed * 2 > messages)
    .toSorted((a, b) => b.failed - a.failed)
  return worst === undefined ? [] : [{ kind: 'sender', ...worst }]
}

/** Strangers who use the name of the domain do not count: their mail is to fail. */
function fallenRate(recent: readonly ReportedSource[], all: readonly ReportedSource[]): readonly ReportAlert[] {
  const [latest, whole] = [yoursIn(recent), yoursIn(all)]
  const earlier = { messages: whole.messages - latest.messages, passed: whole.passed - latest.passed }
  if (latest.messages < RATE.messages || earlier.messages < RATE.messages) return []
  const [before, now] = [earlier.passed / earlier.messages, latest.passed / latest.messages]
  if (before - now < RATE.fall) return []
  return [{ kind: 'passRate', before: percent(before), now: percent(now), messages: latest.messages }]
}

function failedTls(reports: readonly DomainReport[]): readonly ReportAlert[] {
  const sessions = reports.reduce((sum, { messages }) => sum + messages, 0)
  const failed = reports.reduce((sum, { messages, passed }) => sum + messages - passed, 0)
  return failed >= TLS.failed && failed >= sessions * TLS.share ? [{ kind: 'tls', sessions, failed }] : []
}

function yoursIn(senders: readonly ReportedSource[]): { readonly messages: number; readonly passed: number } {
  const yours = senders.filter(({ kind }) => kind === 'own' || kind === 'service' || kind === 'other')
  return {
    messages: yours.reduce((sum, { messages }) => sum + messages, 0),
    passed: yours.reduce((sum, { passed }) => sum + passed, 0),
  }
}

function keyOf({ kind, name }: ReportedSource): string {
  return `${kind} ${name}`
}

function percent(share: number): number {
  return Math.round(share * 1000) / 10
}
