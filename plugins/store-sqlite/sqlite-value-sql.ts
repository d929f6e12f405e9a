import type { Comparison, OneOf, Part, Span, ValueTest } from '../../core/ports/store/audiences.ts'
import type { Sql } from '../kit/sql/engine/dialect.ts'
import { writtenDays } from '../kit/sql/filters/written-days.ts'

/**
 * The function, defined on the connection, that answers the time a value names, in milliseconds of Unix time, or NULL.
 */
export const MOMENT = 'moment_in'

/** The function, defined on the connection, that answers whether the day of a date is between these two of the year. */
export const IN_YEAR = 'in_year'

/** The function, defined on the connection, that answers the number a text is, or NULL. */
export const NUMBER = 'number_in'

/**
 * The function, defined on the connection, that answers whether JSON meets a test on the value at a path; both are JSON,
 * too.
 */
export const MEETS = 'data_meets'

/** A condition: the text contains this part. */
export function sqliteHasPart({ text, params }: Sql, part: Part): Sql {
  // a negative length of 0 would not count from the end
  switch (part.text === '' ? 'contains' : part.how) {
    case 'contains':
      return { text: `instr(${text}, ?) > 0`, params: [...params, part.text] }
    case 'startsWith':
      return { text: `substr(${text}, 1, length(?)) = ?`, params: [...params, part.text, part.text] }
    case 'endsWith':
      return { text: `substr(${text}, -length(?)) = ?`, params: [...params, part.text, part.text] }
  }
}

/**
 * A condition on the value at a path of keys in a JSON column. Each look into JSON is expensive, so most rows get only
 * one. Lists are looked through in JavaScript, and only in a row that has one where the path leads.
 */
export function sqliteValueTest(column: string, path: readonly string[], test: ValueTest): Sql {
  const at = `$${path.map((key) => `.${JSON.stringify(key)}`).join('')}`
  const type = `json_type(${column}, ?)`
  const value: Sql = { text: `json_extract(${column}, ?)`, params: [at] }
  const number: Sql = { text: `cast(${value.text} as real)`, params: [at] }
  // on a longer path, one that finds nothing may have been stopped by a list
  const isListed = path.length === 1 ? `${type} = 'array'` : `coalesce(${type}, 'array') = 'array'`
  const inLists: Sql = {
    text: `iif(instr(${column}, '[') > 0 and ${isListed}, ${MEETS}(${column}, ?, ?), false)`,
    params: [at, JSON.stringify(path), JSON.stringify(test)],
  }
  const written: Sql = { text: `${NUMBER}(${value.text})`, params: [at] }
  const ifType = (types: string, { text, params }: Sql, otherwise = inLists): Sql => ({
    text: `iif(${type} in (${types}), ${text}, ${otherwise.text})`,
    params: [at, ...params, ...otherwise.params],
  })
  // functions of the connection take several times as long as a look at a date as it is written
  const ifMayBe = (days: Sql, { text, params }: Sql): Sql => ({
    text: `iif(coalesce(${days.text} or (${column} ->> ?) not glob ${DATED}, ${path.length > 1}), ${text}, false)`,
    params: [...days.params, at, ...params],
  })
  const ifText = ({ text, params }: Sql) => ifType(`'text'`, { text: `coalesce(${text}, false)`, params })
  switch (test.is) {
    case 'present':
      if (path.length === 1) return { text: `coalesce(${type} <> 'null', false)`, params: [at] }
      return { text: `coalesce(${type} <> 'null', ${inLists.text})`, params: [at, ...inLists.params] }
    case 'filled': {
      const filled = `(${column} -> ?) not in ('null', '""', '[]')`
      if (path.length === 1) {
        const key = isWritten(column, path)
        return { text: `(${key.text}coalesce(${filled}, false))`, params: [...key.params, at] }
      }
      return { text: `coalesce(${filled}, ${inLists.text})`, params: [at, ...inLists.params] }
    }
    case 'oneOf': {
      const { texts, numbers, booleans } = byKind(test)
      const found: Sql[] = []
      // arrays and objects come out as texts, which are hardly ever the one wanted, so their type is checked last
      if (texts.length > 0) {
        const { text, params } = among(value, '"value"', texts)
        found.push({ text: `iif(${text}, ${type} = 'text', false)`, params: [...params, at] })
      }
      if (numbers.length > 0) {
        const { text, params } = among(number, 'cast("value" as real)', numbers)
        found.push({ text: `iif(${type} in (${NUMBERS}), ${text}, false)`, params: [at, ...params] })
      }
      for (const is of booleans) found.push({ text: `coalesce(${type} = ?, false)`, params: [at, String(is)] })
      const any = [...found, inLists]
      const written = isWritten(column, test.values)
      return {
        text: `(${written.text}(${any.map(({ text }) => text).join(' or ')}))`,
        params: [...written.params, ...any.flatMap((each) => each.params)],
      }
    }
    case 'text':
      return ifType(`'text'`, isPart(test) ? sqliteHasPart(value, test) : compared(value, test.how, test.text))
    case 'number':
      return ifType(NUMBERS, compared(number, test.how, test.number), ifText(compared(written, test.how, test.number)))
    case 'moment': {
      const isWithin = ifType(`'text', ${NUMBERS}`, within({ text: `${MOMENT}(${value.text})`, params: [at] }, test))
      const days = writtenDays(test)
      if (days === undefined) return isWithin
      return ifMayBe({ text: `substr(${column} ->> ?, 1, 10) between ? and ?`, params: [at, ...days] }, isWithin)
    }
    case 'yearly': {
      const { first, last } = test
      const day = `substr(${column} ->> ?, 6, 5)`
      const isInYear = { text: `${IN_YEAR}(${value.text}, ?, ?)`, params: [at, first, last] }
      const days = first <= last ? `${day} between ? and ?` : `(${day} >= ? or ${day} <= ?)`
      const params = first <= last ? [at, first, last] : [at, first, at, last]
      return ifMayBe({ text: days, params }, ifType(`'text', ${NUMBERS}`, isInYear))
    }
  }
}

/** How a text begins that may be a date, as a pattern. */
const DATED = `'[0-9][0-9][0-9][0-9]-*'`

/** SQLite's types of a JSON number. */
const NUMBERS = `'integer', 'real'`

/**
 * If only one text is wanted, or a key, looks for it in the JSON as written, which takes a fraction of reading the JSON.
 * This works for characters that are never escaped.
 */
function isWritten(column: string, [text, ...more]: readonly (string | number | boolean)[]): Sql {
  if (typeof text !== 'string' || more.length > 0 || !/^[ !#-[\]-~]*$/.test(text)) return { text: '', params: [] }
  return { text: `instr(${column}, ?) > 0 and `, params: [JSON.stringify(text)] }
}

function byKind({ values }: OneOf<string | number | boolean>) {
  return {
    texts: values.filter((value) => typeof value === 'string'),
    numbers: values.filter((value) => typeof value === 'number'),
    booleans: values.filter((value) => typeof value === 'boolean'),
  }
}

/** `element` is the expression that reads one value of the list. */
function among({ text, params }: Sql, element: string, values: readonly unknown[]): Sql {
  if (values.length === 1) return { text: `${text} = ?`, params: [...params, values[0]] }
  return { text: `${text} in (select ${element} from json_each(?))`, params: [...params, JSON.stringify(values)] }
}

function compared({ text, params }: Sql, how: Comparison, with_: unknown): Sql {
  return { text: `${text} ${SIGNS[how]} ?`, params: [...params, with_] }
}

/** The operators of the comparisons. */
const SIGNS: Readonly<Record<Comparison, string>> = {
  greaterThan: '>',
  lessThan: '<',
  greaterThanOrEqual: '>=',
  lessThanOrEqual: '<=',
}

function within({ text, params }: Sql, { from, before }: Span): Sql {
  const [least, most] = [from?.getTime() ?? EARLIEST, (before?.getTime() ?? LATEST + 1) - 1]
  return { text: `coalesce(${text} between ? and ?, false)`, params: [...params, least, most] }
}

/** The first and the last time a Date can hold (ECMA-262, section 21.4.1.1). */
const LATEST = 8_640_000_000_000_000
const EARLIEST = -LATEST

function isPart(test: Extract<ValueTest, { is: 'text' }>): test is Part {
  return test.how === 'contains' || test.how === 'startsWith' || test.how === 'endsWith'
}
