import { PLACE } from '../../core/filters/data-tests.ts'
import type { Comparison, Part, ValueTest, YearlyTest } from '../../core/ports/store/audiences.ts'
import type { Sql } from '../kit/sql/engine/dialect.ts'
import { writtenDays } from '../kit/sql/filters/written-days.ts'

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
 * an array into one parameter. A list's elements are looked at only in a row that has one where the path leads.
 */
export function postgresValueTest(list: (values: readonly unknown[]) => unknown) {
  return (column: string, path: readonly string[], test: ValueTest): Sql => {
    // a longer path as one parameter, since a statement has 65,535 at most
    const [along, type, at] = path.length === 1 ? ['-', 'text', path] : ['#', 'text[]', [list(path)]]
    const json: Sql = { text: `(${column} ${along}> ?::${type})`, params: at }
    const text: Sql = { text: `(${column} ${along}>> ?::${type}) collate "C"`, params: at }
    const values: Sql = { text: `"mailwright_values_at"(${column}, ?::text[]) as v("value")`, params: [list(path)] }
    const way = onTheWay(column, path, json)
    if (test.is === 'present' || test.is === 'filled') {
      const isThere: Sql = { text: `coalesce(${json.text} ${THERE[test.is]}, false)`, params: at }
      if (path.length === 1) return isThere
      return either(way, exists(values, `v."value" ${THERE[test.is]}`, []), isThere)
    }
    const isList: Sql = { text: `coalesce(jsonb_typeof(${json.text}) = 'array', false)`, params: at }
    const direct = scalarTest(json, text, test, list)
    const asked = scalarTest(ELEMENT, ELEMENT_TEXT, test, list)
    if (path.length === 1) {
      const elements = { text: `jsonb_array_elements(${json.text}) as e("value")`, params: at }
      return either(isList, exists(elements, asked.text, asked.params), direct)
    }
    const elements = {
      text: `${values.text}, jsonb_array_elements(case jsonb_typeof(v."value") when 'array' then v."value"
        else jsonb_build_array(v."value") end) as e("value")`,
      params: values.params,
    }
    const mayBeListed = { text: `${isList.text} or ${way.text}`, params: [...isList.params, ...way.params] }
    return either(mayBeListed, exists(elements, asked.text, asked.params), direct)
  }
}

/** A JSON value that is there. */
const THERE = {
  present: `<> 'null'`,
  filled: `not in ('null', '""', '[]')`,
} as const

const ELEMENT: Sql = { text: 'e."value"', params: [] }
const ELEMENT_TEXT: Sql = { text: `(e."value" #>> '{}') collate "C"`, params: [] }

/**
 * Whether a list may be on the way to the path's end. A longer path that is lost after an object is followed, too, and
 * always one with a key that PostgreSQL takes for a place, but filters do not.
 */
function onTheWay(column: string, path: readonly string[], end: Sql): Sql {
  if (path.some((key) => /^\s*[+-]?\d/.test(key) && !PLACE.test(key))) return { text: 'true', params: [] }
  const type = `jsonb_typeof(${column} -> ?::text)`
  const [first] = path
  if (path.length === 2) return { text: `coalesce(${type} = 'array', false)`, params: [first] }
  return {
    text: `(${end.text} is null and coalesce(${type} in ('array', 'object'), false))`,
    params: [...end.params, first],
  }
}

function either(condition: Sql, then: Sql, otherwise: Sql): Sql {
  return {
    text: `case when ${condition.text} then ${then.text} else ${otherwise.text} end`,
    params: [...condition.params, ...then.params, ...otherwise.params],
  }
}

function exists(from: Sql, where: string, params: readonly unknown[]): Sql {
  return { text: `exists (select 1 from ${from.text} where ${where})`, params: [...from.params, ...params] }
}

/** A condition on a JSON value that is no list; `text` is what it is as a text. */
function scalarTest(
  json: Sql,
  text: Sql,
  test: Exclude<ValueTest, { is: 'present' | 'filled' }>,
  list: (values: readonly unknown[]) => unknown,
): Sql {
  const isKind = (kind: string): Sql => ({ text: `jsonb_typeof(${json.text}) = '${kind}'`, params: json.params })
  switch (test.is) {
    case 'yearly':
      return inYear(json, text, test)
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
      return numberTest(json, text, test.how, JSON.stringify(test.number))
    case 'moment': {
      const { from, before } = test
      const [least, most] = [from?.getTime() ?? EARLIEST, (before?.getTime() ?? LATEST + 1) - 1]
      // functions take several times as long: numbers need none, and the usual dates one
      const seconds = between(json, Math.max(1e9, Math.ceil(least / 1000)), Math.min(1e10, Math.floor(most / 1000) + 1))
      const milliseconds = between(json, Math.max(1e12, least), Math.min(1e13, most + 1))
      const moment = `case when strpos(${text.text}, '-') > 0 then "mailwright_moment_of"(${text.text})
        else "mailwright_moment_in"(${json.text}) end`
      const days = writtenDays(test)
      // no function is needed for a date that is written with another day
      const isOther = days
        ? `case when ${text.text} like '____-%' then left(${text.text}, 10) not between ? and ? else false end`
        : 'false'
      return {
        text: `case jsonb_typeof(${json.text}) when 'number' then ${seconds.text} or ${milliseconds.text}
          when 'string' then case when ${isOther} then false else
            coalesce(${moment} between ?::bigint and ?::bigint, false) end else false end`,
        params: [
          ...json.params,
          ...seconds.params,
          ...milliseconds.params,
          ...(days ? [...text.params, ...text.params, ...days] : []),
          ...[...text.params, ...text.params, ...json.params, least, most],
        ],
      }
    }
  }
}

/** The day of the year of a text is the one it is written with, if it is a date at all; that of Unix time is in UTC. */
function inYear(json: Sql, text: Sql, { first, last }: YearlyTest): Sql {
  // over the end of the year it is every day but those between
  const isThen = (day: Sql): Sql =>
    first <= last
      ? { text: `${day.text} between ? and ?`, params: [...day.params, first, last] }
      : { text: `(${day.text} >= ? or ${day.text} <= ?)`, params: [...day.params, first, ...day.params, last] }
  const written = isThen({ text: `substr(${text.text}, 6, 5)`, params: text.params })
  const unix = isThen({
    text: `to_char(to_timestamp("mailwright_moment_in"(${json.text}) / 1000.0) at time zone 'UTC', 'MM-DD') collate "C"`,
    params: json.params,
  })
  // the functions take several times as long as a look at the day as it is written
  return {
    text: `case when jsonb_typeof(${json.text}) = 'string' and strpos(${text.text}, '-') > 0
        then case when ${written.text} then "mailwright_moment_of"(${text.text}) is not null else false end
      when jsonb_typeof(${json.text}) in ('string', 'number') then coalesce(${unix.text}, false) else false end`,
    params: [
      ...[...json.params, ...text.params, ...written.params, ...text.params],
      ...[...json.params, ...unix.params],
    ],
  }
}

/** A text that is a number is one, too (`numberIn`); a question mark would be a parameter. */
function numberTest(json: Sql, text: Sql, how: Comparison, number: string): Sql {
  return {
    text: `case jsonb_typeof(${json.text}) when 'number' then ${json.text} ${SIGNS[how]} ?::jsonb when 'string' then
      case when ${text.text} ~ '^-{0,1}[0-9]{1,15}([.][0-9]{1,15}){0,1}$' then (${text.text})::float8 ${SIGNS[how]} ?::float8
      else false end else false end`,
    params: [...json.params, ...json.params, number, ...text.params, ...text.params, number],
  }
}

/** A number from the first on and below the second. */
function between({ text, params }: Sql, from: number, below: number): Sql {
  return { text: `(${text} >= ?::jsonb and ${text} < ?::jsonb)`, params: [...params, `${from}`, ...params, `${below}`] }
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
