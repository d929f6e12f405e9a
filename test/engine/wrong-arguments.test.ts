import { readFileSync } from 'node:fs'
import { expect, it, onTestFinished } from 'vitest'
import { createEngine, EngineError, silentLog } from '../../config/library.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'

const ROOMS = new URL('../packed/rooms.txt', import.meta.url)
const UNKNOWN = '01900000-0000-7000-8000-000000000000'
/** Rooms that have to do with more than the data of a project. */
const OTHERS = ['accounts', 'feedback', 'inbound', 'installation', 'projects', 'tracking', 'verification']
const TEXT = /^(?:id|name|slug|host|token|idOrEmail|idOrAddress|\w+Id)$/
const NO_TEXTS = [null, { $ne: 'x' }, [UNKNOWN]]

it('a host without a compiler is told by each method which argument is no project of this engine, or no text', async () => {
  const made = () => createEngine({ store: sqlite({ file: ':memory:' }), projects: [{ name: 'Acme' }], log: silentLog })
  const engine = await made()
  onTestFinished(() => engine.stop())
  const [project] = await engine.projects.list()
  const wrong: string[] = []
  let calls = 0
  const refusal = async (room: Room, method: string, given: unknown[]) => {
    calls++
    try {
      const answer = await room[method]!(...given)
      return `answered ${JSON.stringify(answer)}`
    } catch (error) {
      return EngineError.is(error) ? error.message : `threw ${error}`
    }
  }
  for (const { path, room, method, parameters } of methodsOf(engine)) {
    const usual = parameters.map(() => UNKNOWN)
    const isOfProject = parameters[0] === 'project'
    const isOther = OTHERS.some((name) => path.startsWith(`engine.${name}`))
    if (isOfProject && !isOther) {
      for (const given of [project!.id, null, { ...project, id: {} }]) {
        const said = await refusal(room, method, [given, ...usual.slice(1)])
        if (!/^project: must be a project, as/.test(said)) wrong.push(`${path}.${method}: ${said}`)
      }
      const said = await refusal(room, method, [{ ...project, id: UNKNOWN }, ...usual.slice(1)])
      const isAtOnce = path === 'engine.subscriptions.leaving' || `${path}.${method}`.endsWith('archive.addressOf')
      if (!isAtOnce && said !== `There is no project ${UNKNOWN}.`) wrong.push(`${path}.${method} of another: ${said}`)
    }
    for (const [i, parameter] of parameters.entries()) {
      if (isOther || !TEXT.test(parameter)) continue
      for (const given of NO_TEXTS) {
        const all = usual.with(i, given as never)
        const said = await refusal(room, method, isOfProject ? [project, ...all.slice(1)] : all)
        if (/^(?:threw|answered (?!undefined))/.test(said))
          wrong.push(`${path}.${method}(${parameter} ${JSON.stringify(given)}): ${said}`)
      }
    }
  }
  expect(wrong).toEqual([])
  expect(calls).toBeGreaterThan(700)
})

type Room = Record<string, (...args: unknown[]) => unknown>

/** The methods of all rooms with the names of their parameters, as the sources write them. */
function methodsOf(engine: object) {
  return readFileSync(ROOMS, 'utf8')
    .trim()
    .split('\n')
    .flatMap((line) => {
      const [path = '', names = ''] = line.split(': ')
      const steps = path.split('.').slice(1)
      if (steps.length === 0 || /^engine\.(?:blobs|dns|log)/.test(path)) return []
      const room = steps.reduce((inside: object, step) => Reflect.get(inside, step), engine) as Room
      return names.split(', ').flatMap((method) => {
        const source = String(Reflect.getOwnPropertyDescriptor(Reflect.getPrototypeOf(room)!, method)?.value)
        const list = /^(?:async )?\w+\(([^)]*)/.exec(source)?.[1]
        if (list === undefined) return []
        return { path, room, method, parameters: list.split(',').map((each) => /^\s*(\w+)/.exec(each)?.[1] ?? '') }
      })
    })
}
