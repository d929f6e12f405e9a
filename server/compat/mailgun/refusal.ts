import type { ForeignAnswer, ForeignProblem } from '../../../core/ports/foreign-api.ts'

/** Our status by that of Mailgun (https://documentation.mailgun.com), where they differ. */
const STATUSES: Readonly<Record<number, number>> = { 422: 400 }

/** An error as Mailgun writes it: `{ message }`. */
export function refusal({ status, code, message, fields, suggestion }: ForeignProblem): ForeignAnswer {
  if (code === 'MISSING_AUTH') return { status: 401, body: { message: 'Forbidden' } }
  if (code === 'INVALID_API_KEY') return { status: 401, body: { message: 'Invalid private key' } }
  const said = fields.map(({ field, code: kind, message: what }) =>
    kind === 'required' && what === 'is required' ? `${field} parameter is missing` : `'${field}' parameter ${what}`,
  )
  const text = said.length === 0 ? message : said.join('; ')
  return {
    status: STATUSES[status] ?? status,
    body: { message: suggestion === undefined ? text : `${text.replace(/\.$/, '')}. ${suggestion}` },
  }
}
