import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { freshFolder } from '../support/fresh-folder.ts'
import { MAIN, startServerProcess } from '../support/server-process.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'
import { until } from '../support/until.ts'

const SECRET = `sk_${'b'.repeat(48)}`
const WITHIN = 60_000

it('a backup made under load has every mail accepted before it, each goes out after a restore, and a running server is not restored into', async () => {
  const sink = await startSmtpSink()
  onTestFinished(() => sink.close())
  const [folder, other] = [freshFolder(), freshFolder()]
  const config = {
    projects: [{ name: 'Backup', secretKey: SECRET, trustedDomains: ['example.com'] }],
    limits: { requestsPerMinute: 1_000_000 },
    log: { level: 'warn' },
  }
  // nothing is delivered before the restore: the backup has all of it waiting
  const away = { use: 'smtp', options: { host: '127.0.0.1', port: 1 } }
  const server = await startServerProcess(folder, { ...config, transports: [away] })
  onTestFinished(() => server.kill().catch(() => {}))
  const accepted: string[] = []
  // so late that no try has failed before the backup, which would be waited for after the restore
  const scheduledFor = new Date(Date.now() + 6_000).toISOString()
  const attachment = {
    filename: 'a.txt',
    content: Buffer.from('enclosed').toString('base64'),
    contentType: 'text/plain',
  }
  let isOn = true
  const senders = Array.from({ length: 5 }, async (_, place) => {
    for (let i = 0; isOn; i++) {
      const to = `user${place}-${i}@example.org`
      const mail = {
        to,
        from: 'hello@example.com',
        subject: to,
        body: `<p>${to}</p>`,
        attachments: [attachment],
        scheduledFor,
      }
      if (await isSent(server.url, mail)) accepted.push(to)
    }
  })
  await until('some are accepted', () => accepted.length >= 200, WITHIN)
  const before = [...accepted]
  expect(await command(folder, 'backup', join(other, 'mail.backup'))).toMatchObject({ code: 0 })
  await until('more are accepted', () => accepted.length > before.length, WITHIN)
  expect(await command(folder, 'restore', join(other, 'mail.backup'), '--force')).toEqual({
    code: 1,
    printed: expect.stringContaining('in use by another running engine'),
  })
  isOn = false
  await server.kill()
  await Promise.all(senders)

  const near = { use: 'smtp', options: { host: '127.0.0.1', port: sink.port, tls: { rejectUnauthorized: false } } }
  const restored = await command(other, 'restore', join(other, 'mail.backup'))
  expect(restored).toEqual({
    code: 0,
    printed: expect.stringMatching(/^Restored \d+ mails and 0 files as they were at/),
  })
  const again = await startServerProcess(other, { ...config, transports: [near] })
  onTestFinished(() => again.kill().catch(() => {}))
  const arrived = () => sink.messages.flatMap(({ to }) => to)
  await until(
    'all have arrived',
    () => before.every((to) => sink.messages.some((mail) => mail.to.includes(to))),
    WITHIN,
  )
  expect(await again.stop()).toBe(0)
  expect(arrived().length).toBe(new Set(arrived()).size)
  const text = Buffer.from('enclosed').toString('base64')
  expect(sink.messages.filter(({ raw }) => !raw.includes(text))).toEqual([])
}, 180_000)

async function isSent(url: string, mail: object): Promise<boolean> {
  try {
    const headers = { authorization: `Bearer ${SECRET}`, 'content-type': 'application/json' }
    const response = await fetch(`${url}/v1/send`, { method: 'POST', headers, body: JSON.stringify(mail) })
    await response.arrayBuffer()
    return response.ok
  } catch {
    return false
  }
}

/** Runs the program in this folder, as an operator does. */
async function command(folder: string, ...args: readonly string[]): Promise<{ code: unknown; printed: string }> {
  const child = spawn(process.execPath, [MAIN, ...args], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += chunk))
  const [code] = await once(child, 'close')
  return { code, printed }
}
