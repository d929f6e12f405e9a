import { decodeWords } from '../../values/decoded-words.ts'
import { type HeaderFields, readFields } from './mime.ts'
import type { ReportedRecipient } from './parsed-report.ts'

/** Further recipients of a report are ignored: one of our mails has 41 at most. */
const MAX_RECIPIENTS = 200

/** How many characters of a reply are read. */
const MAX_DIAGNOSTIC = 4000

/** RFC 5321, section 4.5.3.1. */
const MAX_ADDRESS_LENGTH = 320

/** One recipient's fields in a delivery status (RFC 3464), before they are judged. */
export interface RecipientStatus {
  readonly address?: string
  readonly original?: string
  readonly action: ReportedRecipient['action'] | undefined
  readonly status?: string
  readonly diagnostic: string
  /** Words beside the fields of the standard: the comment of the status, a category of PowerMTA. */
  readonly comment: string
}

/**
 * Reads the groups of fields of a delivery status. The first is about the message; one without a recipient is skipped.
 */
export function readDeliveryStatus(text: string): readonly RecipientStatus[] {
  const found: RecipientStatus[] = []
  for (const group of groups(text)) {
    const fields = readFields(group)
    const address = addressIn(fields, 'final-recipient') ?? addressIn(fields, 'x-actual-recipient')
    const original = addressIn(fields, 'original-recipient')
    const known = address ?? original
    if (known === undefined && fields.get('action') === undefined && fields.get('status') === undefined) continue
    found.push({
      ...(known === undefined ? {} : { address: known }),
      ...(original === undefined ? {} : { original }),
      action: actionOf(fields),
      ...statusOf(fields),
      diagnostic: diagnosticOf(fields),
      comment: commentOf(fields),
    })
    if (found.length >= MAX_RECIPIENTS) break
  }
  return found.some(({ address }) => address !== undefined)
    ? found.filter(({ address }) => address !== undefined)
    : found
}

/** Some servers leave out the empty line between two recipients. */
function groups(text: string): readonly string[] {
  return text.split(/\r?\n[ \t]*\r?\n/).flatMap((group) => {
    const several = group.match(/^final-recipient:/gim)?.length ?? 0
    return several < 2 ? [group] : group.split(/^(?=final-recipient:)/im)
  })
}

function addressIn(fields: HeaderFields, name: string): string | undefined {
  const words =
    fields
      .get(name)
      ?.slice(0, 1000)
      // in seven bits (RFC 6533, section 3)
      .replace(/\\x\{([0-9a-f]{1,5}|10[0-9a-f]{4})\}/gi, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)))
      .split(/[\s<>;"]+/) ?? []
  return words.find((word) => /^[^@].*@./.test(word) && word.length <= MAX_ADDRESS_LENGTH)?.toLowerCase()
}

const ACTIONS = ['failed', 'delayed', 'delivered', 'relayed', 'expanded'] as const

function actionOf(fields: HeaderFields): RecipientStatus['action'] {
  const given = /[a-z]+/i.exec(fields.get('action') ?? '')?.[0]?.toLowerCase()
  return ACTIONS.find((action) => action === given)
}

function statusOf(fields: HeaderFields): { readonly status?: string } {
  const status = /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(fields.get('status') ?? '')?.[0]
  return status === undefined ? {} : { status }
}

function commentOf(fields: HeaderFields): string {
  const [, comment = ''] = /^[^(]{0,40}\(([^()]{1,500})\)/.exec(fields.get('status') ?? '') ?? []
  return `${comment} ${fields.get('x-powermta-bouncecategory')?.slice(0, 100) ?? ''}`.trim()
}

function diagnosticOf(fields: HeaderFields): string {
  const said = fields.get('diagnostic-code') ?? fields.get('x-supplementary-info') ?? ''
  return decodeWords(said.slice(0, MAX_DIAGNOSTIC))
    .replace(/^\s*(?:x-)?[\w-]+\s*;\s*/, '')
    .replace(/\s+/g, ' ')
    .trim()
}
