import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { examine, type Finding } from '../../config/examine.ts'
import { createEngine, silentLog } from '../../config/library.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { freshFolder } from '../support/fresh-folder.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'

const DMARC = 'v=DMARC1; p=reject'

it('the doctor tells of each part whether it is in order, says what to do, and makes no database', async () => {
  const folder = freshFolder()
  const [path, file] = [join(folder, 'mail.json'), join(folder, 'mail.db')]
  const dns = await startDnsServer()
  onTestFinished(() => dns.close())
  dns.set('good.example', 'TXT', ['v=spf1 -all'])
  dns.set('_dmarc.good.example', 'TXT', [DMARC])
  dns.set('twice.example', 'TXT', ['v=spf1 -all', 'v=spf1 a -all'])
  dns.set('_dmarc.twice.example', 'TXT', [DMARC])
  dns.fail('silent.example', 'SERVFAIL')
  const sink = await startSmtpSink({ auth: { user: 'mail', pass: 's3cret-word' } })
  onTestFinished(() => sink.close())
  const to = (pass: string, port = sink.port) => ({
    use: 'smtp',
    options: { host: '127.0.0.1', port, auth: { user: 'mail', pass }, tls: { rejectUnauthorized: false } },
  })
  const config = {
    store: { use: 'sqlite', options: { file } },
    dns: { use: 'node', options: { servers: [dns.address], tries: 1 } },
    projects: [{ name: 'Acme', trustedDomains: ['good.example', 'twice.example', 'none.example', 'silent.example'] }],
    transports: [
      { name: 'right', ...to('s3cret-word') },
      { name: 'wrong', ...to('wrong') },
      { name: 'closed', ...to('s3cret-word', 1) },
    ],
  }
  writeFileSync(path, JSON.stringify(config))
  const look = async () => {
    const found: Finding[] = []
    await examine(path, (finding) => found.push(finding))
    return new Map(found.map(({ part, ...finding }) => [part, finding]))
  }
  const first = await look()
  expect(existsSync(file)).toBe(false)
  expect(Object.fromEntries([...first].map(([part, { state }]) => [part, state]))).toEqual({
    config: 'ok',
    store: 'warning',
    disk: expect.stringMatching(/ok|warning/),
    'transport right': 'ok',
    'transport wrong': 'problem',
    'transport closed': 'problem',
    'dns good.example': 'ok',
    'dns twice.example': 'warning',
    'dns none.example': 'warning',
    'dns silent.example': 'unknown',
  })
  expect(first.get('store')?.says).toMatch(
    /^There is no database at .*mail\.db.* The first start of the server makes it\.$/,
  )
  expect(first.get('transport closed')?.says).toMatch(/127\.0\.0\.1:1: nothing accepts connections there/)
  expect(first.get('dns twice.example')?.says).toMatch(/2 SPF records.* leave only one/)
  expect(first.get('dns none.example')?.says).toMatch(/no SPF record.*no DMARC policy/)
  expect([...first.values()].filter(({ says }) => says.includes('s3cret-word'))).toEqual([])

  const engine = await createEngine({ store: sqlite({ file }), projects: [{ name: 'Acme' }], log: silentLog })
  onTestFinished(() => engine.stop())
  expect((await look()).get('store')).toEqual({ state: 'ok', says: expect.stringContaining('a server has it open') })
  await engine.stop()
  expect((await look()).get('store')).toEqual({
    state: 'ok',
    says: expect.stringContaining('takes writes, 1 projects'),
  })
})
