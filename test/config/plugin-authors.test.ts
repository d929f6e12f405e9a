import * as v from 'valibot'
import { describe, expect, it } from 'vitest'
import {
  createEngine,
  definePlugin,
  EngineError,
  type Plugin,
  type StandardSchema,
  silentLog,
  systemClock,
} from '../../config/library.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { configFolder } from './config-folder.ts'

/**
 * Without a compiler nothing keeps an author from any of this: every case is JavaScript as an author would write it.
 */
const written = definePlugin as (definition?: unknown) => (options?: unknown) => unknown
const works = { concurrency: 1, send: async () => ({ outcome: 'accepted' }) }
const transport = (rest: object) => ({ name: 'mail-acme', provides: ['transport'], ...rest })
const opening = (opened: unknown) => written(transport({ open: () => opened }))()

/** The error an engine with this transport is refused with. */
async function refusal(make: () => unknown): Promise<EngineError> {
  const folder = await configFolder()
  const store = sqlite({ file: `${folder}/mail.db` })
  try {
    const engine = await Reflect.apply(createEngine, undefined, [{ store, transports: [make()], log: silentLog }])
    await engine.stop()
  } catch (error) {
    if (EngineError.is(error)) return error
    throw error
  }
  throw new Error('the engine was made')
}

class HalfTransport {
  concurrency = 4
}

describe('what a plugin author did wrong is said with the name of the plugin and the way to mend it', () => {
  it.each<[string, () => unknown, RegExp]>([
    ['no definition', () => written()(), /^definePlugin: needs one object: \{ name, provides/],
    ['no name', () => written({ provides: ['transport'] })(), /^definePlugin: the definition has no name: add one/],
    [
      'no open',
      () => written(transport({}))(),
      /^definePlugin: mail-acme: open is missing: a function .* such as \{ transport \}/,
    ],
    [
      'no provides',
      () => written({ name: 'mail-acme', open() {} })(),
      /^definePlugin: mail-acme: provides is missing: a list of store, transport/,
    ],
    [
      'a port that is none',
      () => written({ name: 'mail-acme', provides: ['transports'], open() {} })(),
      /^definePlugin: mail-acme: provides names "transports", which is no port \(did you mean transport\?\)/,
    ],
    [
      'a key that a definition does not have',
      () => written(transport({ open() {}, inThreads: {} }))(),
      /^definePlugin: mail-acme: inThreads is not part of a definition \(did you mean inThread\?\)/,
    ],
    [
      'no module for threads',
      () => written(transport({ open() {}, inThread: true }))(),
      /^definePlugin: mail-acme: inThread must say where a thread finds the plugin: \{ module, export \}/,
    ],
    [
      'options that are no schema, and no open',
      () => written(transport({ options: { apiKey: 'string' } }))(),
      /^definePlugin: mail-acme: options is no schema: .*; open is missing/,
    ],
    [
      'no call',
      () => written(transport({ open() {} })),
      /transports\[0\]: is the function that makes the plugin: call it/,
    ],
    ['a name', () => 'smtp', /transports\[0\]: is a name, which only config files know: import the plugin/],
    ['a promise', () => Promise.resolve(works), /transports\[0\]: is a promise of a plugin: await it/],
    [
      'a plain object',
      () => transport({ open: () => ({ transport: works }) }),
      /transports\[0\]: mail-acme is a plain object: give it to definePlugin/,
    ],
    [
      'the transport alone',
      () => works,
      /transports\[0\]: is a transport but no plugin: definePlugin\(\{ name: 'acme'/,
    ],
    ['nothing', () => null, /transports\[0\]: is required/],
    [
      'an answer without a port',
      () => opening(undefined),
      /transports\[0\]: mail-acme: open answered nothing: it must/,
    ],
    [
      'an answer with another name',
      () => opening({ transports: works }),
      /transports\[0\]: mail-acme: open answered no transport but transports: it must answer \{ transport \}/,
    ],
    [
      'the transport for an answer',
      () => opening(works),
      /transports\[0\]: mail-acme: open answered the transport itself: it must answer \{ transport \}/,
    ],
    [
      'an instance without the method',
      () => opening({ transport: new HalfTransport() }),
      /transports\[0\]: mail-acme: its transport lacks send\(\)/,
    ],
    [
      'no concurrency',
      () => opening({ transport: { send: works.send } }),
      /transports\[0\]: mail-acme: its transport needs concurrency: a whole number from 1/,
    ],
    [
      'a check that is no function',
      () => opening({ transport: { ...works, check: true } }),
      /transports\[0\]: mail-acme: the check of its transport must be a function/,
    ],
    [
      'an open that takes its options for granted',
      () => written(transport({ open: ({ server }: { server: { host: string } }) => server.host }))(),
      /^transports\[0\]: mail-acme could not be opened: Cannot read properties of undefined/,
    ],
    [
      'a schema that throws',
      () => written(transport({ options: schemaOf(() => JSON.parse('{')), open() {} }))(),
      /transports\[0\]\.options: could not be checked by the plugin's schema: /,
    ],
  ])('%s', async (_, make, told) => {
    const error = await refusal(make)
    expect({
      ...error,
      message: error.message.replace(/^The configuration has a problem:\n {2}/, ''),
    }).toMatchObject({
      code: expect.stringMatching(/^(CONFIG|PLUGIN)_INVALID$/),
      message: expect.stringMatching(told),
    })
  })

  it('and what was opened before is closed again, the plugin at fault included', async () => {
    const closed: string[] = []
    const close = () => {
      closed.push('acme')
    }
    expect((await refusal(() => opening({ close }))).code).toBe('CONFIG_INVALID')
    expect(closed).toEqual(['acme'])
  })
})

describe('options', () => {
  const kit = { log: silentLog, clock: systemClock }
  const given: unknown[] = []
  const open = (options: unknown) => {
    given.push(options)
    return { transport: { ...works, send: async () => ({ outcome: 'accepted' }) as const } }
  }

  it.each<[string, StandardSchema<{ apiKey: string }, { apiKey: string }>]>([
    ['valibot', v.object({ apiKey: v.string() })],
    ['another library', schemaOf((value) => readKey(value))],
    [
      'a function, as ArkType has it',
      Object.assign(
        () => {},
        schemaOf((value) => readKey(value)),
      ),
    ],
  ])('are read by the schema of %s', async (_, options) => {
    const acme = definePlugin({ name: 'mail-acme', provides: ['transport'], options, open })
    given.length = 0
    await acme({ apiKey: 'k' }).open(kit)
    expect(given).toEqual([{ apiKey: 'k' }])
    const wrong = await refusal(() => Reflect.apply(acme, undefined, [{ apiKey: 7 }]))
    expect(wrong).toMatchObject({ code: 'CONFIG_INVALID', fields: [{ field: 'transports[0].options.apiKey' }] })
    expect((await refusal(() => Reflect.apply(acme, undefined, []))).code).toBe('CONFIG_INVALID')
    expect(given).toHaveLength(1)
  })

  it.each<[string, StandardSchema, object, string]>([
    ['of Valibot', v.strictObject({ apiKey: v.string() }), { apiKye: 'k' }, 'apiKye'],
    [
      'of Valibot, deep inside',
      v.strictObject({ tls: v.optional(v.strictObject({ apiKey: v.optional(v.string()) })) }),
      { tls: { apikey: 'k' } },
      'tls.apikey',
    ],
    [
      'of Zod',
      Object.assign(
        schemaOf(() => ({ issues: [{ message: 'x', code: 'unrecognized_keys', keys: ['apikey'] }] })),
        {
          shape: { apiKey: {} },
        },
      ),
      { apikey: 'k' },
      'apikey',
    ],
  ])('that are mistyped are told with what was meant, by a schema %s', (_, options, wrong, field) => {
    const acme = definePlugin({ name: 'mail-acme', provides: ['transport'], options, open })
    const problems = (Reflect.apply(acme, undefined, [wrong]) as Plugin<'transport'>).problems()
    expect(problems).toContainEqual({
      ...{ field, code: 'custom' },
      message: 'is not a known option (did you mean apiKey?)',
    })
  })

  it('are not read by a schema that has to wait', async () => {
    const waiting = [
      v.objectAsync({ apiKey: v.string() }),
      schemaOf(async (value) => readKey(value)),
      schemaOf(() => Promise.reject(new Error('no network'))),
    ]
    for (const options of waiting) {
      const acme = definePlugin({ name: 'mail-acme', provides: ['transport'], options, open })
      const refused = await refusal(() => acme({ apiKey: 'k' }))
      expect(refused.fields).toMatchObject([{ message: expect.stringContaining('asynchronous') }])
    }
  })

  it('are told to be of a wrong type when Zod says so, and of none when the standard alone speaks', () => {
    const codes = [{ code: 'invalid_type' }, { code: 'too_small' }, {}].map((more) => {
      const schema = schemaOf(() => ({ issues: [{ message: 'is wrong', path: ['apiKey'], ...more }] }))
      const acme = definePlugin({ name: 'mail-acme', provides: ['transport'], options: schema, open })
      return acme({ apiKey: 'k' }).problems()[0]?.code
    })
    expect(codes).toEqual(['invalid_type', 'custom', 'custom'])
  })

  it('are handed on as they are without a schema', async () => {
    const acme = definePlugin({ name: 'mail-acme', provides: ['transport'], open })
    given.length = 0
    await acme({ apiKey: 'k' }).open(kit)
    await acme().open(kit)
    expect(given).toEqual([{ apiKey: 'k' }, {}])
  })
})

function schemaOf<T>(read: (value: unknown) => T): StandardSchema<{ apiKey: string }, { apiKey: string }> {
  return { '~standard': { version: 1, vendor: 'own', validate: read as never } }
}

function readKey(value: unknown) {
  const { apiKey } = value as { apiKey?: unknown }
  if (typeof apiKey === 'string') return { value: { apiKey } }
  return { issues: [{ message: 'must be a text', path: [{ key: 'apiKey' }] }] }
}
