import { readFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { createEngine } from '../../config/library.ts'
import { loadConfig } from '../../config/load.ts'
import { signedHook } from '../../plugins/hook-signed/index.ts'
import { configFolder, loadJson, problemsOf } from './config-folder.ts'

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const OUTBOX = { transports: ['outbox'] }

describe('hooks', () => {
  it('come from a config file by name, and keep the name of their path', async () => {
    const hooks = [
      { name: 'bridge', use: 'signed', options: { secret } },
      { use: 'signed', options: { secret } },
    ]
    const { engine } = await loadJson({ ...OUTBOX, hooks })
    expect(engine.hooks).toMatchObject([
      { name: 'bridge', plugin: { name: 'hook-signed' } },
      { plugin: { name: 'hook-signed' } },
    ])
  })

  it('come from the example for Supabase', async () => {
    const text = await readFile('examples/supabase.yaml', 'utf8')
    const cwd = await configFolder({ 'mailwright.config.yaml': text })
    const { engine } = await loadConfig({ cwd, env: { SUPABASE_HOOK_SECRET: `v1,${secret}` } })
    expect(engine.hooks).toMatchObject([{ name: 'supabase', plugin: { name: 'hook-supabase' } }])
    expect(await problemsOf(loadConfig({ cwd, env: { SUPABASE_HOOK_SECRET: 'v1,x' } }))).toEqual([
      expect.stringMatching(/^hooks\[0\]\.options\.secret: /),
    ])
  })

  it('have each problem told by its key', async () => {
    const hooks = [
      { name: 'bridge', use: 'signed', options: { secret: 'x', more: 1 } },
      { name: 'bridge', use: 'signed', options: { secret } },
      { name: 'a/b', use: 'signed', options: { secret } },
      { name: 'other', use: 'outbox' },
      { name: 'third', use: 'singed' },
      { nmae: 'fourth', use: 'signed', options: { secret } },
    ]
    expect(await problemsOf(loadJson({ ...OUTBOX, hooks }))).toEqual([
      expect.stringMatching(/^hooks\[5\]\.nmae: is not a known key \(did you mean name\?\)/),
      expect.stringMatching(/^hooks\[3\]\.use: outbox is not a hook plugin \(it provides transport\)/),
      expect.stringMatching(/^hooks\[4\]\.use: .*did you mean signed\?/),
      expect.stringMatching(/^hooks\[0\]\.options\.secret: /),
      expect.stringMatching(/^hooks\[0\]\.options\.more: is not a known option \(there are secret, /),
      'hooks[1].name: is taken already: bridge',
      expect.stringMatching(/^hooks\[2\]\.name: must be 1 to 64 of a-z/),
    ])
    expect(await problemsOf(loadJson({ ...OUTBOX, hooks: {} }))).toEqual(['hooks: must be an array'])
  })

  it('are checked in code as well', async () => {
    const folder = await configFolder()
    const { sqlite } = await import('../../plugins/store-sqlite/index.ts')
    const settings = { store: sqlite({ file: `${folder}/mail.db` }) }
    const plugin = signedHook({ secret })
    const wrong = [plugin, { plugin }, { name: 'A', plugin }, { name: 'b', plugin, use: 'x' }, signedHook]
    expect(await problemsOf(createEngine({ ...settings, hooks: wrong as never }))).toEqual([
      expect.stringMatching(/^hooks\[3\]\.use: is not a known key/),
      'hooks[1].name: is taken already: hook-signed',
      expect.stringMatching(/^hooks\[2\]\.name: must be/),
      expect.stringMatching(/^hooks\[4\]: is the function that makes the plugin/),
    ])
  })
})
