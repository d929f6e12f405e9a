import { parseArgs } from 'node:util'
import { nearest } from '../core/values/nearest.ts'

/** How much is measured. */
export interface Amounts {
  readonly mails: number
  readonly contacts: number
  readonly recipients: number
  readonly events: number
  /** How many mails an old installation has. */
  readonly ledger: number
}

/** The request of the command line: measures to run, or a text and the exit code to end with. */
export type Asked =
  | { readonly kind: 'run'; readonly names: readonly string[]; readonly rounds: number; readonly amounts: Amounts }
  /** One measure, in this process. */
  | { readonly kind: 'measure'; readonly name: string; readonly amounts: Amounts }
  | { readonly kind: 'answer'; readonly text: string; readonly code: 0 | 2 }

const USUAL = {
  rounds: '3',
  mails: '20000',
  contacts: '1000000',
  recipients: '100000',
  events: '200000',
  ledger: '1000000',
}

const OPTIONS = {
  only: { type: 'string' },
  rounds: { type: 'string' },
  mails: { type: 'string' },
  contacts: { type: 'string' },
  recipients: { type: 'string' },
  events: { type: 'string' },
  ledger: { type: 'string' },
  measure: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const

/** Reads the arguments, given the names of all measures. Nothing is measured yet, so a mistake costs no time. */
export function readBenchCommand(args: readonly string[], known: readonly string[]): Asked {
  try {
    return read(args, known)
  } catch (error) {
    return { kind: 'answer', text: `${error instanceof Error ? error.message : error}\n\n${help(known)}`, code: 2 }
  }
}

function read(args: readonly string[], known: readonly string[]): Asked {
  const { values } = parseArgs({ args: [...args], options: OPTIONS })
  if (values.help) return { kind: 'answer', text: help(known), code: 0 }
  const amounts = {
    mails: count('mails', values.mails),
    contacts: count('contacts', values.contacts),
    recipients: count('recipients', values.recipients),
    events: count('events', values.events),
    ledger: count('ledger', values.ledger),
  }
  if (values.measure !== undefined)
    return { kind: 'measure', name: chosen('measure', values.measure, known)[0], amounts }
  const names = values.only === undefined ? known : chosen('only', values.only, known)
  return { kind: 'run', names, rounds: count('rounds', values.rounds), amounts }
}

/** The measures that are named, each once. Throws when there is none, or one that is unknown. */
function chosen(option: string, given: string, known: readonly string[]): readonly [string, ...string[]] {
  const [first, ...others] = new Set(given.split(',').flatMap((name) => name.trim() || []))
  if (first === undefined) throw new Error(`--${option} names no measure.`)
  const unknown = [first, ...others].filter((name) => !known.includes(name))
  if (unknown.length === 0) return [first, ...others]
  const near = unknown.flatMap((name) => nearest(name, known) ?? [])
  const meant = near.length === 0 ? '' : ` Did you mean ${near.join(', ')}?`
  throw new Error(`--${option}: there is no ${unknown.join(', ')}.${meant}`)
}

function count(option: keyof typeof USUAL, given: string = USUAL[option]): number {
  if (!/^[1-9]\d{0,8}$/.test(given)) throw new Error(`--${option} is a whole number from 1 on, not "${given}".`)
  return Number(given)
}

function help(known: readonly string[]): string {
  const amounts = Object.entries(USUAL).map(([name, usual]) => `[--${name} ${usual}]`)
  return `npm run bench -- [--only NAME,NAME] ${amounts.join(' ')}

Names: ${known.join(', ')}`
}
