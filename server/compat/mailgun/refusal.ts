import type { ForeignAnswer, ForeignProblem } from '../../../core/ports/foreign-api.ts'

/** Our status by that of Mailgun (https://documentation.mailgun.com), where they differ. */
const STATUSES: Readonly<Record<number, number>> = { 422: 400 }

/** Lists of addresses, which are one text there, so that an address in them has no place. */
const ADDRESSES = /^(from|to|cc|bcc)(?:\.\d+)?$/

/** An error as Mailgun writes it: `{ message }`. */
export function refusal({ status, code, message, fields, suggestion }: ForeignProblem): ForeignAnswer {
  if (code === 'MISSING_AUTH') return { status: 401, body: { message: 'Forbidden' } }
  if (code === 'INVALID_API_KEY') return { status: 401, body: { message: 'Invalid private key' } }
  const said = fields.map(worded)
  const text = said.length === 0 ? message : said.join('; ')
  return {
    status: STATUSES[status] ?? status,
    body: { message: suggestion === undefined ? text : `${text.replace(/\.$/, '')}. ${suggestion}` },
  }
}

function worded({ field, code, message }: ForeignProblem['fields'][number]): string {
  if (code === 'required' && message === 'is required') return `${field} parameter is missing`
  const list = ADDRESSES.exec(field)?.[1]
  if (list !== undefined && code === 'invalid_string') {
    return `'${list}' parameter is not a valid address. please check documentation`
  }
  return `'${field}' parameter ${message}`
}
