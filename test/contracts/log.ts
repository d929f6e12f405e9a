import { afterEach, describe, expect, it } from 'vitest'
import type { Log } from '../../core/ports/log.ts'

/** The subject of the contract: one log, which writes lines of every level. */
export interface LogSubject {
  readonly log: Log
  /** Every line it has written so far, oldest first. */
  written(): Promise<readonly LoggedLine[]> | readonly LoggedLine[]
  /** From now on its lines can be written nowhere; undefined for a log that knows no such thing. */
  breaks?: (() => void) | undefined
  close(): Promise<void>
}

/** A line as it was written. */
export interface LoggedLine {
  readonly level: string
  readonly message: string
  /** The fields beside the message; a log may add more. */
  readonly fields: Readonly<Record<string, unknown>>
}

const LEVELS = ['debug', 'info', 'warn', 'error'] as const
const MANY = 1_000

/** The promises of every log. */
export function logContract(setup: () => Promise<LogSubject>) {
  let subject: LogSubject | undefined
  const fresh = async () => {
    subject = await setup()
    return subject
  }
  afterEach(async () => {
    await subject?.close()
    subject = undefined
  })

  describe('a line', () => {
    it.each(LEVELS)('of level %s has its level, its message and its fields', async (level) => {
      const { log, written } = await fresh()
      log[level]('mail was put off', { email: 'mail-1', tries: 3 })
      const [line, ...more] = await written()
      expect(more).toEqual([])
      expect(line).toMatchObject({ level, message: 'mail was put off', fields: { email: 'mail-1', tries: 3 } })
    })

    it('needs no fields', async () => {
      const { log, written } = await fresh()
      log.info('it runs')
      expect(await written()).toMatchObject([{ level: 'info', message: 'it runs' }])
    })

    it.each([
      ['signs that some formats fill in', '100 % of %s at %d, %o and {}'],
      ['letters of any kind', 'Grüße 💌 привет'],
    ])('keeps a message with %s', async (_what, message) => {
      const { log, written } = await fresh()
      log.warn(message, { count: 1 })
      expect(await written()).toMatchObject([{ message, fields: { count: 1 } }])
    })

    it('keeps its own level and message beside fields of these names', async () => {
      const { log, written } = await fresh()
      log.warn('right', { level: 'debug', message: 'wrong', time: 0, msg: 'wrong' })
      expect(await written()).toMatchObject([{ level: 'warn', message: 'right' }])
    })

    it('with an error says what went wrong', async () => {
      const { log, written } = await fresh()
      log.error('it failed', { error: new TypeError('no room on the disk', { cause: new Error('ENOSPC') }) })
      const [line] = await written()
      expect(JSON.stringify(line)).toContain('no room on the disk')
    })

    it('comes in its order, and none is lost', async () => {
      const { log, written } = await fresh()
      for (let i = 0; i < MANY; i++) log.info('tick', { i })
      expect((await written()).map(({ fields }) => fields.i)).toEqual(Array.from({ length: MANY }, (_, i) => i))
    })

    it('leaves what it is given as it was', async () => {
      const { log } = await fresh()
      const fields = { email: 'mail-1', list: [1, 2], error: new Error('x') }
      const before = Object.keys(fields)
      log.with({ plugin: 'mail-acme' }).info('it runs', fields)
      log.with(fields).info('it runs', { more: true })
      log.info('it runs', Object.freeze(fields))
      expect([Object.keys(fields), fields.list]).toEqual([before, [1, 2]])
    })
  })

  describe('a log with fields', () => {
    it('adds them to every line, of any level', async () => {
      const { log, written } = await fresh()
      const own = log.with({ plugin: 'mail-acme' })
      for (const level of LEVELS) own[level]('a line', { level2: level })
      const lines = await written()
      expect(lines.map(({ fields }) => fields.plugin)).toEqual(LEVELS.map(() => 'mail-acme'))
      expect(lines.map(({ fields }) => fields.level2)).toEqual([...LEVELS])
    })

    it('keeps those of the log it was made of; of two with the same name the later one stands', async () => {
      const { log, written } = await fresh()
      log.with({ part: 'http', request: 'r1' }).with({ part: 'send' }).info('one', { count: 1 })
      log.with({ part: 'http' }).info('two', { part: 'line' })
      expect(await written()).toMatchObject([
        { fields: { part: 'send', request: 'r1', count: 1 } },
        { fields: { part: 'line' } },
      ])
    })

    it('changes no other log', async () => {
      const { log, written } = await fresh()
      const [one, two] = [log.with({ plugin: 'one' }), log.with({ plugin: 'two' })]
      for (const each of [log, one, two]) each.info('a line')
      expect((await written()).map(({ fields }) => fields.plugin)).toEqual([undefined, 'one', 'two'])
    })
  })

  describe('a log never throws and never waits', () => {
    const circle: Record<string, unknown> = {}
    circle.circle = circle
    const hostile = {
      get bad() {
        throw new Error('it cannot be read')
      },
    }
    it.each<[string, unknown]>([
      ['a circle', circle],
      ['what throws when it is read', hostile],
      ['a large number', 10n ** 30n],
      ['a symbol', Symbol('s')],
      ['a function', () => 1],
      ['a moment that is none', new Date(Number.NaN)],
      ['nothing', undefined],
      ['a map', new Map([['a', 1]])],
      ['what writes itself wrongly', { toJSON: () => hostile.bad }],
      ['an error of a circle', Object.assign(new Error('round'), { cause: circle })],
    ])('at %s', async (_what, value) => {
      const { log, written } = await fresh()
      const answers = [
        log.info('odd', { value }),
        log.error('odd', { error: value }),
        log.with({ value }).warn('odd'),
        log.info('odd', value as never),
      ]
      expect(answers, 'its methods answer nothing').toEqual(answers.map(() => undefined))
      expect((await written()).map(({ message }) => message)).toEqual(answers.map(() => 'odd'))
    })

    it('when its lines can be written nowhere', async () => {
      const { log, breaks } = await fresh()
      if (!breaks) return
      breaks()
      for (const level of LEVELS) expect(log[level]('lost', { error: new Error('x') })).toBeUndefined()
      // an error that comes later must not be thrown where no code waits for it
      await new Promise((resolve) => setTimeout(resolve, 50))
      expect(log.with({ a: 1 }).info('lost')).toBeUndefined()
    })
  })
}
