import * as v from 'valibot'
import { EmailAddress } from './email-address.ts'
import { IsoDate } from './iso-date.ts'
import { say } from './parse.ts'
import { TRACKING_CONSENTS } from './tracking-consent.ts'

/** Those that every contact has. */
const SURE = {
  /** The address, unique in the project. */
  email: EmailAddress,
  /** Whether the contact gets marketing mail. */
  subscribed: v.boolean(),
  /** Which openings and clicks may be recorded; read again for each. */
  tracking: v.picklist(TRACKING_CONSENTS),
}

/** Those that a contact may be without. */
const UNSURE = {
  /** Until when the contact gets no marketing mail. */
  pausedUntil: IsoDate,
  /** In how many days the contact gets one marketing mail at most. */
  everyDays: v.pipe(
    v.number(),
    v.integer(say('invalid_type', 'must be a whole number of days')),
    v.minValue(1),
    v.maxValue(366),
  ),
}

/**
 * The fields of a contact that callers set, besides its data, each with the schema that reads it. From here come the
 * record, what the API takes, the columns of CSV files, the fields that are listed and the conditions of filters. A new
 * field is an entry here and in KINDS, a column (entity, migrations), and a sentence in
 * `server/openapi/words/contacts.ts`.
 */
export const FIELDS_READ = { ...SURE, ...UNSURE }

/** The fields as requests take them: those left out stay, and null removes those that a contact may be without. */
export const ChangedFields = v.object({ ...v.partial(v.object(SURE)).entries, ...nullish(UNSURE) })
export type ChangedFields = Readonly<v.InferOutput<typeof ChangedFields>>

/** The fields that callers set, with their values. */
export interface GivenFields extends Readonly<v.InferOutput<v.ObjectSchema<typeof SURE, undefined>>> {
  /** Gets no marketing mail before this moment. */
  readonly pausedUntil?: Date
  /** Gets one marketing mail in so many days at most. */
  readonly everyDays?: number
}

/** Every field that a contact has besides its id, its project and its data. */
export interface FieldsOfContact extends GivenFields {
  readonly createdAt: Date
  readonly updatedAt: Date
}
/** The name of such a field. */
export type FieldOfContact = keyof FieldsOfContact

/**
 * The kind of value in a field: it decides how filters ask for it and how a cell of a CSV file is written. A `moment`
 * is set by the engine; a `date` is set by people, and may be ahead or missing.
 */
export type FieldKind = 'text' | 'flag' | 'choice' | 'moment' | 'date' | 'number'

const KINDS = {
  email: 'text',
  subscribed: 'flag',
  tracking: 'choice',
  pausedUntil: 'date',
  everyDays: 'number',
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
export const GIVEN_FIELDS: readonly (keyof GivenFields)[] = namesOf(FIELDS_READ)

/** Whether every contact has the field. */
export function isSure(field: FieldOfContact): boolean {
  return !(field in UNSURE)
}

/** A contact with those of these fields that are given; null removes one. */
export function withGiven<Of extends Partial<GivenFields>>(before: Of, given: ChangedFields): Of {
  const after: Partial<Record<keyof GivenFields, unknown>> = { ...before }
  for (const name of GIVEN_FIELDS) {
    if (given[name] === null) delete after[name]
    else if (given[name] !== undefined) after[name] = given[name]
  }
  return after as Of
}

/** A field with what it holds; undefined for a name that is no field of every contact. */
export function fieldOfContact(name: FieldOfContact): KindAndField
export function fieldOfContact(name: string): KindAndField | undefined
export function fieldOfContact(name: string): KindAndField | undefined {
  const field = FIELDS_OF_CONTACT.find((each) => each === name)
  return field && ({ kind: KINDS[field], field } as KindAndField)
}

/** The values that a field of choices may have. */
export function choicesOf(field: FieldOf<'choice'>): readonly string[] {
  return SURE[field].options
}

/** A field and its kind, so that a check of the kind narrows the field. */
export type KindAndField = {
  [Kind in FieldKind]: { readonly kind: Kind; readonly field: FieldOf<Kind> }
}[FieldKind]

function nullish<Entries extends v.ObjectEntries>(entries: Entries) {
  const read = Object.entries(entries).map(([name, schema]) => [name, v.nullish(schema)])
  return Object.fromEntries(read) as { [Name in keyof Entries]: v.NullishSchema<Entries[Name], undefined> }
}

function namesOf<Of extends object>(of: Of): readonly (keyof Of)[] {
  return Object.keys(of) as (keyof Of)[]
}
