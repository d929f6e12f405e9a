import * as v from 'valibot'
import { EngineError } from '../errors.ts'
import type { Kit } from '../kit.ts'
import { FIGURE_RECEIVERS, type FigureReceiver, type ReceiverFigure } from '../ports/store/domain-reports.ts'
import type { SenderDomain } from '../ports/store/domains.ts'
import type { Figures } from '../ports/store/reputation.ts'
import type { Store } from '../ports/store/store.ts'
import type { InputOf } from '../values/input.ts'
import { say } from '../values/parse.ts'
import { FIGURE_NUMBERS, type ReadFigures } from './report.ts'

const DAY_MS = 86_400_000
/** How large a file with figures may be. */
export const MAX_FIGURES_BYTES = 1024 * 1024
/** How many figures are kept of a domain, and how many are answered at once. */
const MOST = { kept: 100_000, answered: 5_000 }
/** How many are stored at once: SQLite takes so many values in a statement without a pause for others. */
const PIECE = 1_000
/** The domains at which everyone may have a mailbox; those of companies are not among them. */
const MAILBOXES: Readonly<Record<FigureReceiver, readonly string[]>> = {
  google: ['gmail.com', 'googlemail.com'],
  microsoft: [
    ...['outlook.com', 'hotmail.com', 'live.com', 'msn.com', 'outlook.de', 'hotmail.de', 'live.de'],
    ...['hotmail.co.uk', 'live.co.uk', 'outlook.fr', 'hotmail.fr', 'live.fr', 'hotmail.it', 'outlook.it', 'hotmail.es'],
    ...['outlook.es', 'live.nl', 'hotmail.nl', 'outlook.com.br', 'outlook.jp'],
  ],
}

export const UploadFigures = v.object({
  /** A file as Google Postmaster Tools or Microsoft SNDS gives it: CSV. */
  file: v.instance(Uint8Array, say('invalid_type', 'must be one file, with a file name')),
  /** The meaning of its plain numbers, where neither a percent sign nor the name of the column says it. */
  numbers: v.optional(v.picklist(FIGURE_NUMBERS)),
})

/** A file with figures of a receiver. */
export interface UploadFiguresInput extends InputOf<typeof UploadFigures> {}

/** The file as it was read. */
export interface AddedFigures {
  /** Whose figures they are. */
  readonly receiver: FigureReceiver
  /** How many they are; one that was there has the new value now. */
  readonly count: number
  /** The first day that they are about, as `YYYY-MM-DD`. */
  readonly from: string
  /** The last day. */
  readonly to: string
  /** The names of columns that are not known here. */
  readonly ignored: readonly string[]
}

/** The figures of receivers on a domain, beside those of this server. */
export interface ReceiverFigures {
  /** The first day, as `YYYY-MM-DD`. */
  readonly since: string
  /** The figures of receivers, newest day first. */
  readonly figures: readonly ReceiverFigure[]
  /** The counts of this server of mail from the domain to the public mailboxes of each receiver. */
  readonly own: readonly (Figures & { readonly receiver: FigureReceiver; readonly day: string })[]
}

/** Stores the figures of a file. Throws EngineError `CONFLICT` when the domain has too many. */
export async function storeFigures(
  { receiver, figures, ignored }: ReadFigures,
  { id: domainId, projectId }: SenderDomain,
  { store, kit }: Parts,
): Promise<AddedFigures> {
  const { domainReports } = store
  const kept = await domainReports.countFigures(projectId, domainId)
  if (kept + figures.length > MOST.kept)
    throw new EngineError('CONFLICT', `A domain keeps up to ${MOST.kept} figures of receivers, and has ${kept}.`, {
      suggestion: 'Upload fewer days or addresses; figures go 400 days after their day.',
    })
  const createdAt = kit.now()
  // the last one of a file counts, as the last file does
  const once = new Map(figures.map((read) => [`${read.figure} ${read.day} ${read.subject}`, read]))
  const rows = [...once.values()].map((read): ReceiverFigure => {
    return { id: kit.newId(), projectId, domainId, receiver, createdAt, ...read }
  })
  for (let at = 0; at < rows.length; at += PIECE) await domainReports.addFigures(rows.slice(at, at + PIECE))
  const days = rows.map(({ day }) => day).sort()
  return { receiver, count: rows.length, from: days[0] ?? '', to: days.at(-1) ?? '', ignored }
}

/** The figures of the last days, with those of this server for the receivers that have any. */
export async function figuresOf(
  { id: domainId, projectId, domain }: SenderDomain,
  days: number,
  { store, kit }: Parts,
): Promise<ReceiverFigures> {
  const from = new Date(Math.floor(kit.now().getTime() / DAY_MS - days) * DAY_MS)
  const since = from.toISOString().slice(0, 10)
  const figures = await store.domainReports.receiverFigures(projectId, domainId, since, MOST.answered)
  const own: ReceiverFigures['own'][number][] = []
  for (const receiver of FIGURE_RECEIVERS) {
    if (!figures.some((figure) => figure.receiver === receiver)) continue
    const counted = await store.reputation.between(projectId, domain, MAILBOXES[receiver], from)
    own.push(...counted.map((day) => ({ receiver, ...day })))
  }
  return { since, figures, own }
}

interface Parts {
  readonly store: Store
  readonly kit: Kit
}
