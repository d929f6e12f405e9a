import { stripVTControlCharacters, styleText } from 'node:util'
import type { Entry } from './entry.ts'
import { oneLine, type Plain } from './plain.ts'

const COLOURS = { debug: 'gray', info: 'green', warn: 'yellow', error: 'red' } as const
/** As wide as time and level, so that continued lines are below the message and do not look like new entries. */
const MARGIN = ' '.repeat('12:34:56.789 ERROR '.length)

/**
 * An entry as a short line for people, with its line break: time (UTC), level, message, fields. Further lines of the
 * message and the stacks of errors follow, indented. Never throws.
 */
export function prettyLine({ time, level, message, fields }: Entry, plain: Plain, coloured: boolean): string {
  const paint = (style: Parameters<typeof styleText>[0], text: string) =>
    coloured ? styleText(style, text, { validateStream: false }) : text
  const words: string[] = []
  const below: string[] = []
  for (const [name, value] of fields) {
    if (isError(value)) below.push(...harmless(`${name}: ${stackOf(plain(value))}`).split('\n'))
    else if (value !== undefined) words.push(`${paint('dim', `${word(name)}=`)}${word(plain(value, name))}`)
  }
  const head = `${paint('dim', time.toISOString().slice(11, 23))} ${paint(COLOURS[level], level.toUpperCase().padEnd(5))}`
  const [first = '', ...more] = harmless(message).split('\n')
  return `${[[head, first, ...words].join(' '), ...[...more, ...below].map((line) => MARGIN + line)].join('\n')}\n`
}

/** A value, quoted only where its end would not be clear. */
function word(value: unknown): string {
  return typeof value === 'string' && /^[^\s"=\p{C}]+$/u.test(value) ? value : oneLine(value)
}

/** A plain error's stack, and below it the stacks of its causes. */
function stackOf(error: unknown): string {
  const stacks: string[] = []
  for (let next = error; next !== undefined; next = part(next, 'cause')) {
    const [name, message, code] = ['name', 'message', 'code'].map((of) => part(next, of))
    const title = name === undefined ? text(next) : `${text(name)}: ${text(message)}`
    const frames = text(part(next, 'stack'))
      .split('\n')
      .filter((line) => /^\s+at /.test(line))
    stacks.push([code === undefined ? title : `${title} (${text(code)})`, ...frames].join('\n'))
  }
  return stacks.join('\ncaused by ')
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : oneLine(value)
}

function part(of: unknown, name: string): unknown {
  return typeof of === 'object' && of !== null ? Object.getOwnPropertyDescriptor(of, name)?.value : undefined
}

function isError(value: unknown): value is Error {
  try {
    return value instanceof Error
  } catch {
    return false
  }
}

/**
 * The text without characters that move the cursor, change colours or read backwards on a terminal. Line breaks stay.
 */
function harmless(text: string): string {
  return stripVTControlCharacters(text)
    .replace(/\r\n?|[\v\f\u0085\u2028\u2029]/g, '\n')
    .replace(/[^\n\t\P{C}]/gu, '')
}
