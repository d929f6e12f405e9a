import type { Comparison, Part, ValueTest } from '../../core/ports/store/audiences.ts'
import type { Sql } from '../kit/sql/engine/dialect.ts'

/** A condition: the text contains this part. */
export function postgresHasPart({ text, params }: Sql, part: Part): Sql {
  switch (part.how) {
    case 'contains':
      return { text: `strpos(${text}, ?) > 0`, params: [...params, part.text] }
    case 'startsWith':
      return { text: `starts_with(${text}, ?)`, params: [...params, part.text] }
    case 'endsWith':
      return { text: `right(${text}, length(?)) = ?`, params: [...params, part.text, part.text] }
  }
}

/**
 * A condition on the value at a path of keys in a JSON column. JSON values are compared as JSON, so that
 * none is cast to a type it does not have; only texts are extracted, to compare their bytes. `list` turns
 * an array into one parameter.
 */
export function postgresValueTest(list: (values: readonly unknown[]) => unknown) {
  return (column: string, path: readonly string[], test: ValueTest): Sql => {
    const json: Sql = { text: `(${column}${' -> ?::text'.repeat(path.length)})`, params: path }
    const isKind = (kind: string): Sql => ({ text: `jsonb_typeof(${json.text}) = '${kind}'`, params: path })
    const text: Sql = {
      text: `(${column}${' -> ?::text'.repeat(path.length - 1)} ->> ?::text) collate "C"`,
      params: path,
    }
    switch (test.is) {
      case 'present':
        return { text: `coalesce(jsonb_typeof(${json.text}) <> 'null', false)`, params: path }
      case 'oneOf': {
        const [first, ...more] = test.values.map((value) => JSON.stringify(value))
        if (more.length === 0) return known(json, '= ?::jsonb', [first ?? null])
        return known(json, '= any(?::jsonb[])', [list([first, ...more])])
      }
      case 'text':
        return guarded(
          isKind('string'),
          isPart(test) ? postgresHasPart(text, test) : compared(text, test.how, '?', test.text),
        )
      case 'number':
        return guarded(isKind('number'), compared(json, test.how, '?::jsonb', JSON.stringify(test.number)))
      case 'moment': {
        const { from, before } = test
        const [least, most] = [from?.getTime() ?? EARLIEST, (before?.getTime() ?? LATEST + 1) - 1]
        const moment: Sql = { text: `"mailwright_moment_of"(${text.text})`, params: path }
        return guarded(isKind('string'), {
          text: `coalesce(${moment.text} between ?::bigint and ?::bigint, false)`,
          params: [...moment.params, least, most],
        })
      }
    }
  }
}

function known({ text, params }: Sql, test: string, values: readonly unknown[]): Sql {
  return { text: `coalesce(${text} ${test}, false)`, params: [...params, ...values] }
}

/** A missing value has no type and fails the first test. */
function guarded(first: Sql, then: Sql): Sql {
  return { text: `case when ${first.text} then ${then.text} else false end`, params: [...first.params, ...then.params] }
}

function compared({ text, params }: Sql, how: Comparison, parameter: string, value: unknown): Sql {
  return { text: `${text} ${SIGNS[how]} ${parameter}`, params: [...params, value] }
}

/** The operators of the comparisons. */
const SIGNS: Readonly<Record<Comparison, string>> = {
  greaterThan: '>',
  lessThan: '<',
  greaterThanOrEqual: '>=',
  lessThanOrEqual: '<=',
}

/** The first and the last time a Date can hold (ECMA-262, section 21.4.1.1). */
const LATEST = 8_640_000_000_000_000
const EARLIEST = -LATEST

function isPart(test: Extract<ValueTest, { is: 'text' }>): test is Part {
  return test.how === 'contains' || test.how === 'startsWith' || test.how === 'endsWith'
}
