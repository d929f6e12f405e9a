import * as v from 'valibot'
import { EngineError, invalidField } from '../../../core/errors.ts'
import type { OurApi } from '../../../core/ports/foreign-api.ts'
import { EmailAddress } from '../../../core/values/email-address.ts'
import { rowsOf } from './rows-of.ts'
import { type Answer, typedApi } from './typed-api.ts'

/** An entry of our list of addresses that get no mail. */
export type Suppression = Answer<'listSuppressions'>['data'][number]
/** Why an address is on the list. Services have a list for each. */
export type SuppressionReason = Suppression['reason']

/** As many entries are read at once. */
const AT_ONCE = 100

/** Which of these addresses get no mail. A key that may only send does not see it: then none. */
export async function suppressedAmong(ours: OurApi, addresses: readonly string[]): Promise<ReadonlySet<string>> {
  try {
    return new Set((await entriesOf(ours, addresses)).map(({ email }) => email))
  } catch (error) {
    if (EngineError.is(error) && error.code === 'FORBIDDEN') return new Set()
    throw error
  }
}

/** The entry of an address, if it has this reason. */
export async function suppressionOf(
  ours: OurApi,
  address: string,
  reason?: SuppressionReason,
): Promise<Suppression | undefined> {
  const [entry] = await entriesOf(ours, [address.trim().toLowerCase()])
  return reason === undefined || entry?.reason === reason ? entry : undefined
}

async function entriesOf(ours: OurApi, addresses: readonly string[]): Promise<readonly Suppression[]> {
  // a comma may stand within a quoted part
  const asked = [...new Set(addresses)].filter((address) => !address.includes(','))
  const found: Suppression[] = []
  for (let start = 0; start < asked.length; start += AT_ONCE) {
    const email = asked.slice(start, start + AT_ONCE).join(',')
    const query = { email, limit: String(AT_ONCE) }
    found.push(...(await typedApi(ours).call('listSuppressions', { query })).data)
  }
  return found
}

/** Which part of a list is wanted: entries of a reason, newest first, from a place on. */
interface Part {
  readonly reason?: SuppressionReason | undefined
  readonly email?: string | undefined
  readonly offset: number
  readonly count: number
  /** The earliest time of entries, in milliseconds. */
  readonly from?: number | undefined
  /** Whether an entry counts. */
  fits?(entry: Suppression): boolean
}

/** The entries of a part of the list. Those before it are read, too. */
export async function suppressions(ours: OurApi, part: Part): Promise<readonly Suppression[]> {
  const { reason, email, offset, count, from = 0, fits = () => true } = part
  const isLate = ({ createdAt }: Suppression) => Date.parse(createdAt) >= from
  const { rows } = await rowsOf(
    (page) =>
      typedApi(ours).call('listSuppressions', {
        query: {
          ...page,
          ...(reason === undefined ? {} : { reason }),
          ...(email === undefined ? {} : { email: email.trim() }),
        },
      }),
    { most: offset + count, counts: (entry) => isLate(entry) && fits(entry), isPast: (entry) => !isLate(entry) },
  )
  return rows.slice(offset)
}

/** An address to put on the list. */
export interface ToSuppress {
  readonly email: string
  readonly detail?: string | undefined
}

/**
 * Puts addresses on the list, and answers their entries. One that is there for good keeps its reason: otherwise a complaint could be taken back as
 * if it were an unsubscription.
 */
export async function suppress(
  ours: OurApi,
  reason: SuppressionReason,
  given: readonly ToSuppress[],
): Promise<readonly Suppression[]> {
  const known = await entriesOf(
    ours,
    given.map(({ email }) => email),
  )
  const entries = new Map(known.filter(({ expiresAt }) => expiresAt == null).map((entry) => [entry.email, entry]))
  for (const { email, detail } of given) {
    if (entries.has(email)) continue
    const body = { email, reason, ...(detail === undefined ? {} : { detail: detail.slice(0, 1000) }) }
    entries.set(email, await typedApi(ours).call('addSuppression', { body }))
  }
  return given.flatMap(({ email }) => entries.get(email) ?? [])
}

/** Takes an entry from the list, by its id. */
export async function release(ours: OurApi, { id }: Suppression): Promise<void> {
  await typedApi(ours).call('removeSuppression', { path: { idOrEmail: id } })
}

/** The bare address that a text has, in lower case; undefined when it is none. */
export function addressIn(text: unknown): string | undefined {
  const read = v.safeParse(EmailAddress, text)
  return read.success ? read.output : undefined
}

/** The same, where there must be one. Throws EngineError `VALIDATION_ERROR`. */
export function requireAddress(text: unknown, field: string): string {
  const email = addressIn(text)
  if (email === undefined) throw invalidField(field, 'invalid_string', 'must be an e-mail address')
  return email
}

/** The code of a server's reply in a text, such as `550` or `5.1.1`; undefined without one. */
export function replyCodeIn(detail: string | null): string | undefined {
  return /(?:^|[^\d.])([45]\.\d{1,3}\.\d{1,3}|[45]\d\d)(?![\d.])/.exec(detail ?? '')?.[1]
}
