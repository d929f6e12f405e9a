import { readFile } from 'node:fs/promises'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createEngine, definePlugin, silentLog } from '../../config/library.ts'
import { disk } from '../../plugins/blobs-disk/index.ts'
import { outbox } from '../../plugins/mail-outbox/index.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { configFolder, problemsOf } from './config-folder.ts'

it('an embedder gives only what differs', async () => {
  const folder = await configFolder()
  const engine = await createEngine({
    store: sqlite({ file: `${folder}/mail.db` }),
    blobs: disk({ directory: `${folder}/uploads` }),
    transports: [outbox({ directory: `${folder}/outbox` })],
    projects: [{ name: 'Acme', trustedDomains: ['acme.example'] }],
  })
  try {
    await engine.start()
    expect(await engine.health()).toMatchObject({ ok: true })
  } finally {
    await engine.stop()
  }
})

it('an embedder is told all problems before anything is opened', async () => {
  const [first, second] = [outbox({ directory: 'nowhere' }), outbox({ directory: 'nowhere' })]
  const problems = problemsOf(createEngine({ projects: [{ name: '' }], transports: [first, second] }))
  expect((await problems).map((line) => line.split(':')[0])).toEqual(['projects[0].name', 'transports[1].name'])
})

it.each([
  [{ trnasports: [] }, 'trnasports: is not a known key (did you mean transports?)'],
  [{ delivery: { treads: 2 } }, 'delivery.treads: is not a known key (did you mean threads?)'],
  [
    { projects: [{ name: 'A', trustedDomain: [] }] },
    'projects[0].trustedDomain: is not a known key (did you mean trustedDomains?)',
  ],
  [
    { delivery: { throttle: { project: { perSecnod: 1 } } } },
    'delivery.throttle.project.perSecnod: is not a known key (did you mean perSecond?)',
  ],
  [{ transports: [{ nmae: 'main', plugin: outbox() }] }, 'transports[0].nmae: is not a known key (did you mean name?)'],
  [{ server: { port: 1 } }, 'server: is a key of config files alone (publicUrl stands by itself)'],
  [
    { log: console },
    'log: must have the methods debug, info, warn, error, with (consoleLog of mailwright/plugins/log-console makes one)',
  ],
  [{ clock: {} }, 'clock: must have the methods now'],
  [{ transports: 'smtp' }, 'transports: must be an array of transport plugins'],
  ['mail.db', 'settings: must be an object'],
])('settings nobody reads are refused in code as in files: %j', async (settings, told) => {
  const problems = await problemsOf(Reflect.apply(createEngine, undefined, [settings]))
  expect(problems).toContain(told)
})

it('warnings go to the standard error output unless a log is given', async () => {
  const folder = await configFolder()
  const written: string[] = []
  const stderr = vi.spyOn(process.stderr, 'write').mockImplementation((text) => written.push(String(text)) > 0)
  const stdout = vi.spyOn(process.stdout, 'write')
  onTestFinished(() => {
    vi.restoreAllMocks()
  })
  const check = () => Promise.reject(new Error('no relay'))
  const send = async () => ({ outcome: 'accepted' }) as const
  const transport = { concurrency: 1, send, check }
  const acme = definePlugin({ name: 'mail-acme', provides: ['transport'], open: () => ({ transport }) })
  for (const log of [{}, { log: silentLog }]) {
    const engine = await createEngine({ store: sqlite({ file: `${folder}/mail.db` }), transports: [acme()], ...log })
    await engine.start()
    await engine.health()
    await engine.stop()
  }
  expect(written).toEqual([expect.stringMatching(/WARN .*transport=mail-acme error="no relay"/)])
  expect(stderr).toHaveBeenCalledTimes(1)
  expect(stdout).not.toHaveBeenCalled()
})

it('the main door loads no HTTP library, and no plugin before it is needed', async () => {
  const loaded = await staticImports(new URL('../../config/library.ts', import.meta.url))
  expect(loaded).toContain('valibot')
  expect(loaded.filter((module) => /^h3\b|^srvx\b|\/server\/|\/plugins\//.test(module))).toEqual([])
})

/** Every module that is loaded along with this file: files by URL, packages by name. */
async function staticImports(start: URL): Promise<string[]> {
  const seen = new Set([start.href])
  for (const module of seen) {
    if (!module.startsWith('file:')) continue
    const text = await readFile(new URL(module), 'utf8')
    for (const [, names = '', from = ''] of text.matchAll(
      /^(?:import|export)\s+([\w*{},\s]*?)(?:from\s+)?'([^']+)'/gm,
    )) {
      if (!names.startsWith('type ')) seen.add(from.startsWith('.') ? new URL(from, module).href : from)
    }
  }
  return [...seen]
}
