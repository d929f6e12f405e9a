import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { loadConfig } from '../../config/load.ts'
import { EngineError } from '../../core/errors.ts'
import { dkimKey } from '../support/dkim.ts'
import { configFolder, loadJson, problemsOf } from './config-folder.ts'

const KEY = dkimKey('acme.example', 'mail', 'ed25519')
const { privateKey } = KEY

describe('a DKIM key', () => {
  it('stands in the config or in a variable, whose line ends may be \\n', async () => {
    const config = await loadJson(
      { dkim: [KEY, { ...KEY, selector: 'other', privateKey: '${DKIM_KEY}' }] },
      { DKIM_KEY: privateKey.trim().replaceAll('\n', '\\n') },
    )
    expect(config.engine.dkim?.map((key) => key.privateKey)).toEqual([privateKey.trim(), privateKey.trim()])
  })

  it('is read from a file beside the config', async () => {
    const cwd = await configFolder({
      'deploy/mail.json': JSON.stringify({
        dkim: [{ domain: 'a.example', selector: 's', privateKeyFile: 'keys/a.pem' }],
      }),
      'deploy/keys/a.pem': privateKey,
    })
    const { engine } = await loadConfig({ cwd, env: {}, path: 'deploy/mail.json' })
    expect(engine.dkim).toEqual([{ domain: 'a.example', selector: 's', privateKey: privateKey.trim() }])
  })

  it('may be left out', async () => {
    expect((await loadJson({})).engine.dkim).toEqual([])
  })

  it.each([
    ['text', 'secret', 'is not a PEM private key'],
    ['a cut PEM', privateKey.slice(0, 60), 'is not a PEM private key'],
    ['a public key', pem('rsa', 2048).publicKey, 'is a public key; the private key belongs here'],
    ['an encrypted key', encrypted(), 'is encrypted; a key without a passphrase is needed'],
    ['a key of another kind', ec(), 'must be an RSA or Ed25519 key, not ec'],
    ['too short an RSA key', pem('rsa', 512).privateKey, 'must have at least 1024 bits (better 2048), not 512'],
  ])('is refused when it is %s, and its text is not repeated', async (_, text, message) => {
    const loading = loadJson({ dkim: [KEY, { ...KEY, selector: 'b', privateKey: text }] })
    expect(await problemsOf(loading)).toEqual([`dkim[1].privateKey: ${message}`])
    const error = await loading.catch((error: unknown) => error)
    expect(EngineError.is(error) && error.message.includes(text)).toBe(false)
  })

  it('has all its problems told at once', async () => {
    const cwd = await configFolder({
      'mailwright.config.json': JSON.stringify({
        dkim: [
          { domain: 'acme', selector: '-a', privateKey: 'x' },
          { domain: 'a.example', selector: 's', privateKeyFile: 'missing.pem' },
          { domain: 'a.example', selector: 's', privateKeyFile: 'junk.pem' },
          { domain: 'a.example', selector: 's', privateKeyFile: 'junk.pem', privateKey },
          { domain: 'a.example', selector: 's', privateKeyFile: '.' },
          { domain: 'a.example', selectr: 's', privateKeyFile: 7 },
          { domain: 'a.example', selector: 's' },
        ],
        server: { port: -1 },
      }),
      'junk.pem': 'junk',
    })
    expect((await problemsOf(loadConfig({ cwd, env: {} }))).toSorted()).toEqual([
      'dkim[0].domain: must be a domain name such as example.com',
      'dkim[0].privateKey: is not a PEM private key',
      'dkim[0].selector: must be a DNS name such as mail or 2026.mail: letters, digits and hyphens',
      `dkim[1].privateKeyFile: there is no file ${cwd}/missing.pem`,
      'dkim[2].privateKeyFile: is not a PEM private key',
      'dkim[3].privateKeyFile: must be left out beside privateKey',
      `dkim[4].privateKeyFile: ${cwd} cannot be read (EISDIR)`,
      'dkim[5].privateKeyFile: must be the path of a file',
      'dkim[5].selector: is required',
      'dkim[5].selectr: is not a known key (did you mean selector?)',
      'dkim[6].privateKey: is required',
      'server.port: must be at least 0',
    ])
  })

  it('has a name of its own, which fits into the DNS', async () => {
    const long = `${'x'.repeat(60)}.`.repeat(4)
    const dkim = [
      KEY,
      { ...KEY, domain: 'ACME.example', selector: 'MAIL' },
      { ...KEY, selector: 'b' },
      { ...KEY, selector: `${long}c` },
    ]
    expect(await problemsOf(loadJson({ dkim }))).toEqual([
      'dkim[1].selector: is taken already: MAIL of acme.example',
      'dkim[3].selector: is too long: 269 characters with the domain',
    ])
  })

  it('is a list of keys', async () => {
    expect(await problemsOf(loadJson({ dkim: KEY }))).toEqual(['dkim: must be an array, not an object'])
  })
})

function pem(type: 'rsa', modulusLength: number) {
  return generateKeyPairSync(type, {
    modulusLength,
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    publicKeyEncoding: { type: 'spki', format: 'pem' },
  })
}

function ec(): string {
  return generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString()
}

function encrypted(): string {
  const { privateKey } = generateKeyPairSync('ed25519')
  return privateKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }).toString()
}
