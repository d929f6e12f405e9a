import * as v from 'valibot'
import { invalidField } from '../errors.ts'
import { isJsonObject, type Untrusted } from '../values/json.ts'
import { parse } from '../values/parse.ts'
import { COLUMN_TYPES, type ColumnType } from './csv-cells.ts'
import { COLUMN_FORMATS, type ColumnFormat, FORMATS_OF } from './csv-formats.ts'
import { DATA_LIMITS } from './data-limits.ts'

/** The caller's wish for a column: its key (null leaves it out), its type, and how its numbers or dates are written. */
export interface GivenColumn {
  readonly key?: string | null | undefined
  readonly type?: ColumnType | undefined
  readonly format?: ColumnFormat | undefined
}
/** The caller's wishes for columns, by their names in the header. */
export type GivenColumns = Readonly<Record<string, GivenColumn>>

const Type = v.pipe(
  v.picklist([...COLUMN_TYPES, 'text'], 'must be string, number, boolean or date'),
  v.transform((type) => (type === 'text' ? 'string' : type)),
)
const Key = v.nullable(
  v.pipe(v.string(), v.nonEmpty('must not be empty; null leaves the column out'), v.maxLength(DATA_LIMITS.keyLength)),
)

/** The caller's wishes for columns, as submitted: the key as a text, or key and type. */
export const GivenColumnsInput = v.record(
  v.string(),
  v.union(
    [
      v.pipe(
        Key,
        v.transform((key): GivenColumn => ({ key })),
      ),
      v.pipe(
        v.strictObject({
          key: v.optional(Key),
          type: v.optional(Type),
          format: v.optional(v.picklist(COLUMN_FORMATS)),
        }),
        v.check(({ type, format }) => format === undefined || isFormatOf(type, format)),
      ),
    ],
    'must be a key, null to leave the column out, or {"key": …, "type": "string", "number", "boolean" or "date", "format": "comma" or "point" of numbers, "dmy", "mdy" or "ymd" of dates}',
  ),
)

/** Reads what the caller says about columns: in a form and a query string it is JSON text. Throws EngineError `VALIDATION_ERROR` on `columns`. */
export function givenColumns(columns: Untrusted): GivenColumns {
  const given = typeof columns === 'string' ? jsonIn(columns) : columns
  if (given === undefined) return {}
  if (!isJsonObject(given)) throw invalidField('columns', 'invalid_type', NO_COLUMNS)
  if (Object.keys(given).length > DATA_LIMITS.keys)
    throw invalidField('columns', 'too_big', `must name at most ${DATA_LIMITS.keys} columns`)
  return parse(v.object({ columns: GivenColumnsInput }), { columns: given }).columns
}

function jsonIn(text: string): Untrusted {
  if (text.trim() === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    throw invalidField('columns', 'invalid_type', NO_COLUMNS)
  }
}

const NO_COLUMNS = 'must be a JSON object such as {"E-Mail":"email","First Name":"name","Notes":null}'

function isFormatOf(type: ColumnType | undefined, format: ColumnFormat): boolean {
  if (type !== 'number' && type !== 'date') return false
  return FORMATS_OF[type].some((each) => each === format)
}
