import type { Comparison, OneOf, Part, Span, ValueTest } from '../../core/ports/store/audiences.ts'
import type { Sql } from '../kit/sql/engine/dialect.ts'

/**
 * The function, defined on the connection, that answers the time a text names, in milliseconds of Unix time, or NULL.
 */
export const MOMENT = 'moment_of'

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
 * A condition on the value at a path of keys in a JSON column. Each look into JSON is expensive,
 * so most rows get only one.
 */
export function sqliteValueTest(column: string, path: readonly string[], test: ValueTest): Sql {
  const at = `$${path.map((key) => `.${JSON.stringify(key)}`).join('')}`
  const type = `json_type(${column}, ?)`
  const value: Sql = { text: `json_extract(${column}, ?)`, params: [at] }
  const number: Sql = { text: `cast(${value.text} as real)`, params: [at] }
  const ifText = ({ text, params }: Sql): Sql => ({
    text: `iif(${type} = 'text', ${text}, false)`,
    params: [at, ...params],
  })
  const ifNumber = ({ text, params }: Sql): Sql => ({
    text: `iif(${type} in ('integer', 'real'), ${text}, false)`,
    params: [at, ...params],
  })
  switch (test.is) {
    case 'present':
      return { text: `coalesce(${type} <> 'null', false)`, params: [at] }
    case 'oneOf': {
      const { texts, numbers, booleans } = byKind(test)
      const found: Sql[] = []
      // arrays and objects come out as texts, which are hardly ever the one wanted, so their type is checked last
      if (texts.length > 0) {
        const { text, params } = among(value, '"value"', texts)
        const written = isWritten(column, texts)
        found.push({
          text: `iif(${written.text}${text}, ${type} = 'text', false)`,
          params: [...written.params, ...params, at],
        })
      }
      if (numbers.length > 0) found.push(ifNumber(among(number, 'cast("value" as real)', numbers)))
      for (const is of booleans) found.push({ text: `coalesce(${type} = ?, false)`, params: [at, String(is)] })
      return {
        text: `(${found.map(({ text }) => text).join(' or ') || 'false'})`,
        params: found.flatMap((each) => each.params),
      }
    }
    case 'text':
      return ifText(isPart(test) ? sqliteHasPart(value, test) : compared(value, test.how, test.text))
    case 'number':
      return ifNumber(compared(number, test.how, test.number))
    case 'moment':
      return ifText(within({ text: `${MOMENT}(${value.text})`, params: [at] }, test))
  }
}

/**
 * If only one text is wanted, looks for it in the JSON as written, which takes a fraction of reading the JSON. This
 * works for characters that are never escaped.
 */
function isWritten(column: string, [text, ...more]: readonly string[]): Sql {
  if (text === undefined || more.length > 0 || !/^[ !#-[\]-~]*$/.test(text)) return { text: '', params: [] }
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
