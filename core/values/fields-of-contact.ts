import * as v from 'valibot'
import { EmailAddress } from './email-address.ts'
import { TRACKING_CONSENTS } from './tracking-consent.ts'

/**
 * The fields of a contact that callers set, besides its data. A field with a default need not be set for a new contact.
 * From here come the record, what the API takes and answers, the columns of CSV files, the fields that are listed and
 * the conditions of filters. A new field is an entry here and in KINDS, a column (entity, migrations), and a sentence
 * in `server/openapi/words/contacts.ts`.
 */
export const GivenFields = v.object({
  /** The address, unique in the project. */
  email: EmailAddress,
  /** Whether the contact gets marketing mail. */
  subscribed: v.boolean(),
  /** Which openings and clicks may be recorded; read again for each. */
  tracking: v.picklist(TRACKING_CONSENTS),
})
/** The fields that callers set, with their values. */
export type GivenFields = Readonly<v.InferOutput<typeof GivenFields>>

/** Every field that a contact has besides its id, its project and its data. */
export interface FieldsOfContact extends GivenFields {
  readonly createdAt: Date
  readonly updatedAt: Date
}
/** The name of such a field. */
export type FieldOfContact = keyof FieldsOfContact

/** What a field holds: it decides how filters ask for it and how a cell of a CSV file is written. */
export type FieldKind = 'text' | 'flag' | 'choice' | 'moment'

const KINDS = {
  email: 'text',
  subscribed: 'flag',
  tracking: 'choice',
  createdAt: 'moment',
  updatedAt: 'moment',
} as const satisfies Record<FieldOfContact, FieldKind>

/** The fields of one kind. */
export type FieldOf<Kind extends FieldKind> = {
  [Name in FieldOfContact]: (typeof KINDS)[Name] extends Kind ? Name : never
}[FieldOfContact]

/** The names of all fields, in the order in which they are shown. */
export const FIELDS_OF_CONTACT: readonly FieldOfContact[] = namesOf(KINDS)

/** The names of those that callers set. */
export const GIVEN_FIELDS: readonly (keyof GivenFields)[] = namesOf(GivenFields.entries)

/** A field with what it holds; undefined for a name that is no field of every contact. */
export function fieldOfContact(name: FieldOfContact): KindAndField
export function fieldOfContact(name: string): KindAndField | undefined
export function fieldOfContact(name: string): KindAndField | undefined {
  const field = FIELDS_OF_CONTACT.find((each) => each === name)
  return field && ({ kind: KINDS[field], field } as KindAndField)
}

/** The values that a field of choices may have. */
export function choicesOf(field: FieldOf<'choice'>): readonly string[] {
  return GivenFields.entries[field].options
}

/** A field and its kind, so that a check of the kind narrows the field. */
export type KindAndField = {
  [Kind in FieldKind]: { readonly kind: Kind; readonly field: FieldOf<Kind> }
}[FieldKind]

function namesOf<Of extends object>(of: Of): readonly (keyof Of)[] {
  return Object.keys(of) as (keyof Of)[]
}
