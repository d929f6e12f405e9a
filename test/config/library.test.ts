import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { createEngine } from '../../config/library.ts'
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
