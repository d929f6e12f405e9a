import { readFile } from 'node:fs/promises'
import { expect, it } from 'vitest'
import { loadConfig } from '../../config/load.ts'
import { configFolder, problemsOf } from './config-folder.ts'

const KEYS = { ACME_SECRET_KEY: 'sk_0123456789abcdef', ACME_PUBLIC_KEY: 'pk_0123456789abcdef' }

it('the example is a config without problems, once its variables are set', async () => {
  const door = new URL('../../config/index.ts', import.meta.url)
  const text = await readFile(new URL('../../config/example.config.ts', import.meta.url), 'utf8')
  const cwd = await configFolder({
    // The package's own name leads to the compiled files, which a test must not depend on.
    'mailwright.config.ts': text.replace("'mailwright/config'", JSON.stringify(door.href)),
  })
  const { engine } = await loadConfig({ cwd, env: { ...KEYS, SMTP_PASS: 'secret' } })
  expect(engine.transports).toMatchObject([{ name: 'main' }, { name: 'spare' }])
  expect(await problemsOf(loadConfig({ cwd, env: KEYS }))).toEqual([
    'transports[0].options.auth.pass: ${SMTP_PASS} is not set',
  ])
})
