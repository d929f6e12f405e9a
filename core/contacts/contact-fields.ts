import * as v from 'valibot'
import { invalidField } from '../errors.ts'
import type { Kit } from '../kit.ts'
import type { KindCounts } from '../ports/store/contact-fields.ts'
import type { Project } from '../ports/store/projects.ts'
import type { Store } from '../ports/store/store.ts'
import { requireEnabled } from '../projects/project.ts'
import { type References, refuseWhileUsed } from '../references/references.ts'
import { type ContactField, holdersOf, type Uses } from '../references/uses.ts'
import { choicesOf, FIELDS_OF_CONTACT, type FieldKind, fieldOfContact, isSure } from '../values/fields-of-contact.ts'
import type { InputOf, UntrustedInput } from '../values/input.ts'
import { wholeNumber } from '../values/page.ts'
import { parse } from '../values/parse.ts'
import { yieldToLoop } from '../values/yield-to-loop.ts'

/**
 * How many contacts lose a field in one transaction: others write between two batches, and each contact may have 500
 * keys to compare.
 */
const BATCH = 200

/** How many data keys are listed: those that most contacts have. */
const LISTED_FIELDS = 1000

/** The type of a field's values. */
export type FieldType = 'string' | 'number' | 'boolean' | 'date' | 'array' | 'object'

/** A field of a project's contacts. */
export interface FieldInfo {
  /** `email`, or `data.<key>`. */
  readonly field: string
  /** The type of most of its values. */
  readonly type: FieldType
  /** How many contacts have a value in it: 0 to 100 percent, at most two decimals. Absent where it is not counted. */
  readonly coverage?: number
}

/** The fields of a project's contacts. */
export interface FieldList {
  /** With more than 1,000 data keys, those that most contacts have. */
  readonly fields: readonly FieldInfo[]
  /** How many fields there are in total. */
  readonly total: number
}

/** Different values of a field. */
export interface FieldValues {
  /** In its long form, `data.<key>`. */
  readonly field: string
  /** The different values, without texts of more than 1,000 characters. */
  readonly values: readonly (string | number | boolean)[]
  /** How many values are answered at most. */
  readonly limit: number
}

/** Where a field is used. */
export interface FieldUsage extends Uses {
  /** How many contacts have it. */
  readonly contactCount: number
  /** Whether `remove` would succeed. */
  readonly canDelete: boolean
}

const TYPES: Readonly<Record<FieldKind, FieldType>> = {
  text: 'string',
  flag: 'boolean',
  choice: 'string',
  moment: 'date',
  date: 'date',
  number: 'number',
}

export const ListValues = v.object({
  /** How many at most: 1 to 200, by default 100. */
  limit: v.optional(wholeNumber(1, 200), 100),
})

/** Options of a list of a field's values. */
export interface ListFieldValuesInput extends InputOf<typeof ListValues> {}

/** A path segment that cannot be decoded is empty, too. */
const FieldName = v.object({ field: v.pipe(v.string(), v.minLength(1)) })

/**
 * The fields in the data of a project's contacts. A field is `data.<key>` or the bare key; keys may have any
 * characters.
 */
export class Fields {
  constructor(
    private readonly store: Store,
    private readonly references: References,
    private readonly kit: Kit,
  ) {}

  /** Lists the fields: the standard ones, then the data fields by key. */
  async list(project: Project): Promise<FieldList> {
    const { contacts, keys, fields } = await this.store.contactFields.list(project.id, LISTED_FIELDS)
    const custom = fields.map(({ key, kinds }) => {
      const share = contacts === 0 ? 0 : Math.min(100, (sumOf(kinds, 'without null') / contacts) * 100)
      return { key, field: `data.${key}`, type: typeOf(kinds), coverage: Math.round(share * 100) / 100 }
    })
    custom.sort((a, b) => (a.key < b.key ? -1 : 1))
    const listed = [
      ...FIELDS_OF_CONTACT.map((name) => {
        const type = TYPES[fieldOfContact(name).kind]
        return { field: name, type, ...(isSure(name) ? { coverage: 100 } : {}) }
      }),
      ...custom.map(({ field, type, coverage }) => ({ field, type, coverage })),
    ]
    return { fields: listed, total: FIELDS_OF_CONTACT.length + keys }
  }

  /**
   * Up to `limit` (1..200, 100 by default) different values of a field, without texts of more than 1,000 characters;
   * none when no contact has it. Throws EngineError `VALIDATION_ERROR`, also for `email`, `createdAt` and `updatedAt`,
   * which are different for every contact.
   */
  async values(
    project: Project,
    name: string,
    query: ListFieldValuesInput | UntrustedInput = {},
  ): Promise<FieldValues> {
    const { limit } = parse(ListValues, query)
    const field = readField(name)
    if ('key' in field) {
      return {
        field: nameOf(field),
        values: await this.store.contactFields.values(project.id, field.key, limit),
        limit,
      }
    }
    const known = fieldOfContact(field.standard)
    if (known.kind === 'flag' || known.kind === 'choice') {
      const values = known.kind === 'flag' ? [true, false] : choicesOf(known.field)
      return { field: known.field, values: values.slice(0, limit), limit }
    }
    const reason = `has too many different values to list: nearly every contact has its own ${field.standard}`
    throw invalidField('field', 'custom', reason)
  }

  /** Where a field is used, and by how many contacts. Throws EngineError `VALIDATION_ERROR` for an invalid name. */
  async usage(project: Project, name: string): Promise<FieldUsage> {
    const field = readField(name)
    const uses = await this.references.field(project, field)
    const canDelete = 'key' in field && holdersOf(uses).length === 0
    return { ...uses, contactCount: await this.#contactCount(project, field), canDelete }
  }

  /**
   * Removes a field from the data of every contact, batch by batch; answers how many had it. When it is interrupted,
   * the same call continues. Throws EngineError `CONFLICT` while something uses the field, `VALIDATION_ERROR` for a
   * standard one, `PROJECT_DISABLED`.
   */
  async remove(project: Project, name: string): Promise<number> {
    requireEnabled(project)
    const field = readField(name)
    if ('standard' in field) {
      throw invalidField('field', 'custom', `${field.standard} is no field of the data; it cannot be deleted`)
    }
    refuseWhileUsed(`The field ${nameOf(field)}`, await this.references.field(project, field))
    let deleted = 0
    let after: string | undefined
    do {
      const batch = { limit: BATCH, ...(after === undefined ? {} : { after }) }
      const { removed, last } = await this.store.contactFields.remove(project.id, field.key, this.kit.now(), batch)
      deleted += removed
      after = last
      await yieldToLoop()
    } while (after !== undefined)
    return deleted
  }

  /** Counts contacts with a null value, too: deleting the field removes it from them. */
  async #contactCount(project: Project, field: ContactField): Promise<number> {
    if ('standard' in field) return this.store.contacts.count(project.id, {})
    return sumOf((await this.store.contactFields.find(project.id, field.key)) ?? {}, 'with null')
  }
}

/** A bare name of a standard field is that field; `data.subscribed` is a key of the data. */
function readField(name: string): ContactField {
  const { field } = parse(FieldName, { field: name })
  const standard = FIELDS_OF_CONTACT.find((each) => each === field)
  if (standard) return { standard }
  return { key: field.startsWith('data.') ? field.slice('data.'.length) : field }
}

function nameOf(field: ContactField): string {
  return 'key' in field ? `data.${field.key}` : field.standard
}

function sumOf(kinds: KindCounts, nulls: 'with null' | 'without null'): number {
  const all = Object.values(kinds).reduce((sum, count) => sum + count, 0)
  return nulls === 'with null' ? all : all - (kinds.null ?? 0)
}

/** The type of most values; on a tie text, which can hold both. */
function typeOf(kinds: KindCounts): FieldType {
  const counts: readonly (readonly [FieldType, number])[] = [
    ['object', kinds.object ?? 0],
    ['array', kinds.array ?? 0],
    ['string', kinds.string ?? 0],
    ['number', kinds.number ?? 0],
    ['boolean', kinds.boolean ?? 0],
    ['date', kinds.date ?? 0],
  ]
  const most = Math.max(...counts.map(([, count]) => count))
  const [first, second] = counts.filter(([, count]) => count === most)
  return first === undefined || second !== undefined ? 'string' : first[0]
}
