import { format } from 'node:util'
import type { Log, LogFields } from '../../core/ports/log.ts'
import { type LoggedLine, logContract } from '../contracts/log.ts'
import { right, wrong } from './wrong.ts'

interface How {
  readonly write?: (line: LoggedLine, sink: LoggedLine[]) => unknown
  readonly fieldsFirst?: true
  readonly formats?: true
  readonly fieldsWin?: true
  readonly throwsOnOdd?: true
  readonly changesFields?: true
  readonly forgetsFields?: true
  readonly changesItself?: true
  readonly firstWins?: true
  readonly dropsErrors?: true
  readonly answers?: true
  readonly later?: true
  readonly quiet?: readonly string[]
  readonly throwsWhenBroken?: true
  readonly rejectsWhenBroken?: true
}

/** A log that keeps its lines; it can go wrong in many ways. */
const contract = (how: How) =>
  logContract(async () => {
    const lines: LoggedLine[] = []
    const sink = { isBroken: false }
    const plain = (value: unknown): unknown => {
      if (value instanceof Error && !how.dropsErrors) return { message: value.message }
      try {
        return JSON.parse(JSON.stringify(value))
      } catch (error) {
        if (how.throwsOnOdd) throw error
        return String(typeof value)
      }
    }
    const entries = (fields: object | undefined) => {
      try {
        return Object.entries(fields ?? {})
      } catch (error) {
        if (how.throwsOnOdd) throw error
        return []
      }
    }
    const write = (level: string, always: LogFields, message: string, given: LogFields | undefined): unknown => {
      if (how.quiet?.includes(level)) return undefined
      if (sink.isBroken && how.throwsWhenBroken) throw new Error('EPIPE')
      if (sink.isBroken) return how.rejectsWhenBroken ? Promise.reject(new Error('EPIPE')) : undefined
      if (how.changesFields && given) Object.assign(given, always)
      const both = how.firstWins ? [...entries(given), ...entries(always)] : [...entries(always), ...entries(given)]
      const fields = Object.fromEntries(both.map(([name, value]) => [name, plain(value)]))
      const said = how.formats ? format(message, fields) : message
      const line = { level, message: said, fields, ...(how.fieldsWin ? (fields as object) : {}) }
      if (how.later) setTimeout(() => lines.push(line), Math.random() * 5)
      else lines.push(line)
      return how.answers ? Promise.resolve() : undefined
    }
    const logWith = (always: LogFields): Log => {
      let own = always
      const at = (level: string) => (message: string, fields?: LogFields) =>
        (how.fieldsFirst
          ? write(level, own, fields as never, message as never)
          : write(level, own, message, fields)) as undefined
      const log: Log = {
        ...{ debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
        with(fields) {
          if (how.changesItself) {
            own = { ...own, ...fields }
            return log
          }
          return logWith(how.forgetsFields ? fields : Object.fromEntries([...entries(own), ...entries(fields)]))
        },
      }
      return log
    }
    return {
      log: logWith({}),
      written: () => lines,
      breaks: () => {
        sink.isBroken = true
      },
      close: async () => {},
    }
  })

right(() => contract({}))
wrong('takes the fields first, as pino does', 'has its level, its message and its fields', () =>
  contract({ fieldsFirst: true }),
)
wrong('fills in what looks like a format', 'signs that some formats fill in', () => contract({ formats: true }))
wrong('lets fields stand for the line', 'keeps its own level and message', () => contract({ fieldsWin: true }))
wrong('throws at what JSON cannot write', 'at a circle', () => contract({ throwsOnOdd: true }))
wrong('changes the fields it is given', 'leaves what it is given', () => contract({ changesFields: true }))
wrong('forgets the fields before the last', 'keeps those of the log it was made of', () =>
  contract({ forgetsFields: true }),
)
wrong('adds fields to itself', 'changes no other log', () => contract({ changesItself: true }))
wrong('lets the first of two fields stand', 'the later one stands', () => contract({ firstWins: true }))
wrong('writes errors as JSON does', 'says what went wrong', () => contract({ dropsErrors: true }))
wrong('answers a promise', 'at nothing', () => contract({ answers: true }))
wrong('mixes up the order of lines', 'comes in its order', () => contract({ later: true }))
wrong('writes no lines for developers', 'of level debug has its level', () => contract({ quiet: ['debug'] }))
wrong('throws when its file is full', 'can be written nowhere', () => contract({ throwsWhenBroken: true }))
wrong('rejects when its server is away', 'can be written nowhere', () => contract({ rejectsWhenBroken: true }))
