import * as v from 'valibot'
import { digestOf } from './digest.ts'
import { EmailAddress } from './email-address.ts'
import type { JsonObject } from './json.ts'
import type { ProjectId } from './project-id.ts'

/** The first and the last id of this kind. No contact has one, since an id that the engine makes begins with its time. */
export const STRANGERS = {
  first: '00000000-0000-8000-8000-000000000000',
  last: '00000000-0000-8fff-8fff-ffffffffffff',
} as const
const BEGINNING = STRANGERS.first.slice(0, 15)

/**
 * Stands for an address that is no contact where a row must name one. It is made from the address, so that what came
 * from there is found when that is to be erased.
 */
export function strangerId(projectId: ProjectId, address: string): string {
  const known = v.safeParse(EmailAddress, address)
  const hex = digestOf(`${projectId} ${known.success ? known.output : address.toLowerCase()}`)
  return `${BEGINNING}${hex.slice(0, 3)}-8${hex.slice(3, 6)}-${hex.slice(6, 18)}`
}

/** Whether the id stands for an address that is no contact. */
export function isStrangerId(id: string): boolean {
  return id.startsWith(BEGINNING)
}

/** Whom a row about an event names: its contact, or else the author of the mail that it is about. */
export function whoseId(event: {
  readonly projectId: ProjectId
  readonly contactId?: string
  readonly data: JsonObject
}): string {
  const { projectId, contactId, data } = event
  return contactId ?? strangerId(projectId, typeof data.from === 'string' ? data.from : '')
}
