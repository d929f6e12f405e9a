import * as v from 'valibot'
import { addressIn, shownAddress } from '../contacts/csv-address.ts'
import { unguarded } from '../contacts/csv-cells.ts'
import { MAX_CELL } from '../contacts/csv-columns.ts'
import { BrokenCsv, formOf, recordsOf } from '../contacts/csv-file.ts'
import { addressRank, plainName } from '../contacts/csv-names.ts'
import { standingOf, statusKind } from '../contacts/csv-status.ts'
import { EngineError, invalidField } from '../errors.ts'
import type { SuppressionReason } from '../ports/store/suppressions.ts'
import { IsoDate } from '../values/iso-date.ts'
import { parse } from '../values/parse.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'
import { isPattern, MAX_DETAIL, NO_PATTERN } from './suppression.ts'

/** How many refused rows are listed one by one. */
const MAX_ERRORS_LISTED = 100
/** How many rows are read before other work runs. */
const PIECE = 1000

/** An entry in a file. */
interface WantedSuppression {
  readonly email: string
  readonly reason: SuppressionReason
  readonly detail?: string
  readonly expiresAt?: Date
}

/** A parsed file of suppressed addresses. Rows are numbered as in the file: the header is row 1. */
export interface SuppressionFile {
  /** Whether it was read to its end. */
  readonly isWhole: boolean
  /** Without blank rows. */
  readonly totalRows: number
  readonly successCount: number
  readonly failureCount: number
  /** The first 100 refused rows. */
  readonly errors: readonly { readonly row: number; readonly email: string; readonly error: string }[]
  /** Each address once, from its last row. */
  readonly entries: readonly WantedSuppression[]
}

/**
 * Reads a CSV file of this service (`email`, `reason`, `detail`, `expiresAt`) or of SendGrid, Mailgun, Amazon SES,
 * Postmark or Brevo, in any case and order of columns; other columns are ignored, an empty cell means nothing.
 * `usual` is the reason of rows that name none; the reading ends early when there are more than `most` addresses. Throws
 * EngineError `VALIDATION_ERROR` on `file` for an invalid one.
 */
export async function readSuppressions(
  bytes: Uint8Array,
  usual: SuppressionReason | undefined,
  most = Number.POSITIVE_INFINITY,
): Promise<SuppressionFile> {
  const entries = new Map<string, WantedSuppression>()
  const errors: { row: number; email: string; error: string }[] = []
  let columns: Columns | undefined
  let [row, successCount, failureCount] = [0, 0, 0]
  try {
    for await (const cells of recordsOf(bytes, formOf(bytes, rankOf).form)) {
      if (++row % PIECE === 0) await yieldToLoop()
      if (columns === undefined) {
        columns = columnsIn(cells)
        continue
      }
      if (cells.every((cell) => cell === '')) continue
      const read = readRow(columns, cells, usual)
      if ('entry' in read) {
        successCount++
        entries.set(read.entry.email, read.entry)
        if (entries.size > most) break
        continue
      }
      failureCount++
      if (errors.length < MAX_ERRORS_LISTED) errors.push({ row, ...read })
    }
  } catch (error) {
    if (!(error instanceof BrokenCsv)) throw error
    throw invalidField('file', 'custom', `is not valid CSV; nothing was imported. Row ${error.row}: ${error.problem}`)
  }
  const isWhole = entries.size <= most
  const totalRows = successCount + failureCount
  return { isWhole, totalRows, successCount, failureCount, errors, entries: [...entries.values()] }
}

/** Mailgun calls it `address`; in a file of contacts that may be a postal address. */
function rankOf(name: string): number | undefined {
  return addressRank(name) ?? (plainName(name) === 'address' ? 3 : undefined)
}

/** Places of columns: those of one kind in the order in which they are asked. */
interface Columns {
  readonly email: number
  /** A word or a text that says why. */
  readonly reasons: readonly number[]
  /** Columns of events: not every event is a reason to suppress. */
  readonly events: readonly number[]
  /** Codes of a refusal. */
  readonly codes: readonly number[]
  readonly details: readonly number[]
  /** Columns that may say of a row that the person gets mail: then it is no suppression, unless another says who left. */
  readonly standings: readonly number[]
  readonly left: readonly number[]
  readonly expiresAt: number | undefined
  /** The reason of rows that name none, where the columns show whose list it is. */
  readonly usual: SuppressionReason | undefined
}

const REASONS = ['reason', 'suppressionreason', 'suppressiontype', 'bouncetype', 'type', 'source']
const EVENTS = ['event', 'sttext']
const CODES = ['status', 'code', 'statuscode', 'smtpcode', 'bouncecode']
const DETAILS = ['detail', 'details', 'error', 'description', 'message', 'response', 'diagnostic', 'bouncedescription']
/** SendGrid's spam reports have the address of the reader's computer, which its other lists have not. */
const REPORTS = 'createdemailip'

/** Throws EngineError `VALIDATION_ERROR` on `file` for two columns of one name. */
function columnsIn(header: readonly string[]): Columns {
  const plain = header.map(plainName)
  const places = (names: readonly string[]) =>
    names.flatMap((name) => plain.flatMap((each, i) => (each === name ? [i] : [])))
  const ranked = header.flatMap((name, index) => {
    const rank = rankOf(name)
    return rank === undefined ? [] : [{ index, rank }]
  })
  const [best, second] = ranked.sort((a, b) => a.rank - b.rank || a.index - b.index)
  if (best === undefined || (second?.rank === 0 && best.rank === 0)) {
    throw invalidField('file', 'custom', 'has more than one column "email"')
  }
  const kinds = header.map(statusKind)
  const isReports = [...plain].sort().join('') === REPORTS
  // Mailchimp's file of addresses that bounced
  const isCleaned = plain.includes('cleantime')
  return {
    email: best.index,
    reasons: places(REASONS),
    events: places(EVENTS),
    codes: places(CODES),
    details: places(DETAILS),
    expiresAt: places(['expiresat'])[0],
    standings: kinds.flatMap((kind, i) => (kind === 'word' || kind === 'state' || kind === 'consent' ? [i] : [])),
    left: kinds.flatMap((kind, i) => (kind === 'left' ? [i] : [])),
    usual: isReports ? 'COMPLAINT' : isCleaned ? 'BOUNCE' : undefined,
  }
}

type ReadRow = { readonly entry: WantedSuppression } | { readonly email: string; readonly error: string }

function readRow(columns: Columns, cells: readonly string[], usual: SuppressionReason | undefined): ReadRow {
  const textsOf = (places: readonly number[]) => places.map((i) => textIn(cells[i])).filter((text) => text !== '')
  const address = cells[columns.email] ?? ''
  const refused = (error: string) => ({ email: shownAddress(address), error })
  const read = addressIn(address)
  if ('error' in read) return refused(read.error)
  if (isPattern(read.email)) return refused(`email: ${NO_PATTERN}`)
  const hasLeft = textsOf(columns.left).some((text) => standingOf('left', text) === 'left')
  const getsMail = textsOf(columns.standings).find((text) => !/^\d/.test(text) && standingOf('consent', text) === 'in')
  if (getsMail !== undefined && !hasLeft)
    return refused(`${JSON.stringify(getsMail.slice(0, 40))} says that mail may go there: it is no suppression`)
  const [reasons, events, codes] = [textsOf(columns.reasons), textsOf(columns.events), textsOf(columns.codes)]
  const [odd] = events.filter((text) => reasonIn(text) === undefined)
  if (odd !== undefined) return refused(`${JSON.stringify(odd.slice(0, 40))} is not a reason for a suppression`)
  const said = [...reasons, ...events, ...codes].map(reasonIn).find((each) => each !== undefined)
  const reason = said ?? usual ?? columns.usual ?? (codes.length > 0 ? 'BOUNCE' : 'MANUAL')
  const [detail] = [
    ...textsOf(columns.details),
    ...[...reasons, ...events, ...codes].filter((text) => text.toUpperCase() !== reason),
  ]
  const expiry = columns.expiresAt === undefined ? '' : textIn(cells[columns.expiresAt])
  try {
    const expiresAt = expiry === '' ? undefined : parse(Expiry, { expiresAt: expiry }).expiresAt
    const known = detail === undefined ? {} : { detail: detail.slice(0, MAX_DETAIL).toWellFormed() }
    return { entry: { email: read.email, reason, ...known, ...(expiresAt ? { expiresAt } : {}) } }
  } catch (error) {
    if (!EngineError.is(error)) throw error
    return refused(error.message)
  }
}

const Expiry = v.object({ expiresAt: IsoDate })

function textIn(cell = ''): string {
  const text = cell.slice(0, MAX_CELL)
  return (unguarded(text) ?? text).replaceAll('\u0000', '\ufffd')
}

/** A reply of a mail server, by its codes (RFC 5321, section 4.2; RFC 3463). */
const REPLY = /(?:^|[^\d.])[45]\d\d(?:[^\d.]|$)|(?:^|[^\d.])[45]\.\d{1,3}\.\d{1,3}(?:[^\d.]|$)/

/** The reason that a word of any of these services means; undefined for any other text. */
function reasonIn(text: string): SuppressionReason | undefined {
  if (REPLY.test(text)) return 'BOUNCE'
  const word = plainName(text)
  if (word === 'hard' || word === 'soft') return 'BOUNCE'
  if (/unsub|optout|optedout|manual|admin|customer|blocklist|blacklist|usersuppressed/.test(word)) return 'MANUAL'
  if (/complain|spam|abuse|junk/.test(word)) return 'COMPLAINT'
  return /bounce|invalid|undeliver|doesnotexist|notexist|unknown|nosuch|baddomain|blocked/.test(word)
    ? 'BOUNCE'
    : undefined
}
