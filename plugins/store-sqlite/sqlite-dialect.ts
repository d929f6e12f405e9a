import type { Dialect, GivenColumn, Kind } from '../kit/sql/engine/dialect.ts'
import { longTextNow, packText, textOctets, unpackText, unpackTextNow } from './packed-text.ts'
import { sqliteCode } from './sqlite-client.ts'
import { sqliteHasPart, sqliteValueTest } from './sqlite-value-sql.ts'

/** How many of the newest mails that fit are ranked. */
const RANKED = 1_000
/** How much a mail counts that has a term in one of these; in its text, it counts no more. */
const WEIGHTS = [
  ['subject', 8],
  ['people', 4],
  ['files', 2],
] as const

/** SQLite's dialect. */
export const sqliteDialect: Dialect = {
  encode: (kind) => ENCODE[kind] ?? plain,
  decode: (kind) => DECODE[kind] ?? plain,
  packed: packText,
  unpacked: unpackText,
  octets: textOctets,

  listed: () => 'in (select value from json_each(?))',
  eachOf: (table) => `(select * from ${table} where "project_id" = ? and "email" in (select value from json_each(?)))`,
  list: (values) => JSON.stringify(values),
  given: (columns, same = []) => {
    const fields = columns.map(({ name }, i) => `json_extract(value, '$[${i}]') as "${name}"`)
    return `(select ${[...same.map(({ name }) => `? as "${name}"`), ...fields].join(', ')} from json_each(?))`
  },
  givenParams: (_columns, rows) => [JSON.stringify(rows)],
  insert: (table, columns, onConflict) => ({
    sql: insertSql(table, columns, onConflict),
    executions: (rows) => rows,
  }),
  insertShort: (table, columns, onConflict) => ({
    sql: insertGivenSql(table, columns, onConflict),
    executions: (rows) => [[JSON.stringify(rows)]],
  }),
  // each row is bound by itself
  insertAlike: undefined,

  contains: (expression) => `instr(${LOWER}(${expression}), ?) > 0`,
  includes: (expression) => `instr(${expression}, ?) > 0`,

  at: (json) => ({
    exists: `json_type(${json}, ?) is not null`,
    without: `json_remove(${json}, ?)`,
  }),
  valuesAt: (json) => ({
    from: `json_each(iif(json_type(${json}, ?) = 'array', ${json} -> ?, json_array(json(${json} -> ?)))) as e`,
    isScalar: `e."type" in ('text', 'integer', 'real', 'true', 'false')`,
    value: `iif(e."type" in ('true', 'false'), e."type", json_quote(e."value"))`,
  }),
  keyPath: (key) => `$.${JSON.stringify(key)}`,

  appended: (
    array,
    value,
    most,
  ) => `case when ${value} is null then ${array} when ${array} is null then '[' || ${value} || ']'
    else json_insert(case when json_array_length(${array}) >= ${most} then json_remove(${array}, '$[0]') else ${array} end,
      '$[#]', json(${value})) end`,

  hasPart: sqliteHasPart,
  valueTest: sqliteValueTest,

  quarterOf: (column) => `${column} / 900000`,

  unindexed: (column) => `+${column} = ?`,
  // on the connections that read, a table's bare name is a view, which has no index
  byIndex: (table, index, alias) => `main."${table}"${alias ? ` as ${alias}` : ''} indexed by "${index}"`,
  // one connection with one transaction at a time, so everything is locked anyway
  lockRows: () => '',
  keepRows: () => '',
  free: (_table, condition) => condition,
  // the limit with a plus: a bare parameter there makes SQLite plan anew each time it is bound, 120 µs of a claim
  firstFree: (table, condition, order) =>
    `"id" in (select "id" from ${table} where ${condition} order by ${order} limit +?)`,

  snapshot: '',

  searchMails: (terms, scopes) => {
    const phrases = terms.map(({ words, isBeginning }) => `"${words.join(' ')}"${isBeginning ? ' *' : ''}`)
    const either = scopes.map((scope) => `"${scope}"`).join(' OR ')
    const wanted = `scope : (${either}) AND {subject people body files} : (${phrases.join(' AND ')})`
    // by the words themselves: FTS5's bm25 counts the mails with each word first, a million of them for most of a second
    const scores = terms.flatMap(() =>
      WEIGHTS.map(([column, weight]) => `${weight} * (instr(' ' || t."${column}" || ' ', ?) > 0)`),
    )
    const text = `select t."email_id", ${scores.join(' + ')} as "score" from (
        select "rowid" as "number" from "mail_search" where "mail_search" match ? order by "rowid" desc limit ${RANKED}) as r
      join "searched_mails" as i on i."number" = r."number" join "mail_words" as t on t."email_id" = i."email_id"`
    const sought = terms.map(({ words, isBeginning }) => ` ${words.join(' ')}${isBeginning ? '' : ' '}`)
    return { text, params: [...sought.flatMap((each) => WEIGHTS.map(() => each)), wanted] }
  },
  isSearched: (emailId) => `exists (select 1 from "searched_mails" as i where i."email_id" = ${emailId})`,
  forgetWords: `insert into "mail_search" ("mail_search", "rank") values ('secure-delete', 1)`,

  counterSlot: '0',
  countsContacts: false,

  partsOfRewrite: 1,
  // one to three milliseconds each; an event takes longer than a mail's variables, since it goes, and out of six indexes
  strides: { mails: 250, events: 100 },

  databaseBytes: '(select page_count * page_size from pragma_page_count(), pragma_page_size())',

  isTaken: (error) => {
    const code = sqliteCode(error)
    return code === 'SQLITE_CONSTRAINT_UNIQUE' || code === 'SQLITE_CONSTRAINT_PRIMARYKEY'
  },
  isConflict: () => false,
  isUnavailable: (error) => UNAVAILABLE.test(sqliteCode(error) ?? ''),
}

/** SQLite's own `lower` knows only ASCII, so the connection defines this one. */
export const LOWER = 'lower_text'

const UNAVAILABLE = /^SQLITE_(?:BUSY|CANTOPEN|CORRUPT|FULL|IOERR|LOCKED|NOMEM|NOTADB|PERM|PROTOCOL|READONLY)/

type Convert = (value: unknown) => unknown

const plain: Convert = (value) => value ?? null

const ENCODE: Partial<Record<Kind, Convert>> = {
  text: (value) => (typeof value === 'string' ? longTextNow(value) : (value ?? null)),
  json: (value) => (value === undefined ? null : JSON.stringify(value)),
  date: (value) => (value instanceof Date ? value.getTime() : null),
  boolean: (value) => (value === undefined ? null : Number(value)),
}

const DECODE: Partial<Record<Kind, Convert>> = {
  text: (value) => (value instanceof Uint8Array ? unpackTextNow(value) : value),
  json: (value) => JSON.parse(String(value)),
  date: (value) => new Date(Number(value)),
  boolean: (value) => value === 1,
  // a plain Uint8Array over the same bytes, not the driver's Buffer
  bytes: (value) =>
    value instanceof Uint8Array ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : value,
}

/** With triggers, each statement keeps what it would undo; one statement for all rows does so once. */
function insertGivenSql(table: string, columns: readonly GivenColumn[], onConflict: string): string {
  const names = columns.map(({ name }) => `"${name}"`).join(', ')
  const values = columns.map((_column, i) => `json_extract(value, '$[${i}]')`).join(', ')
  // without a condition, the parser takes "on conflict" for a join's "on"
  return `insert into ${table} (${names}) select ${values} from json_each(?) where true ${onConflict}`
}

function insertSql(table: string, columns: readonly GivenColumn[], onConflict: string): string {
  const names = columns.map(({ name }) => `"${name}"`).join(', ')
  const values = columns.map(() => '?').join(', ')
  return `insert into ${table} (${names}) values (${values}) ${onConflict}`
}
