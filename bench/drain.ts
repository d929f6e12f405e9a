import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createEngine } from '../config/library.ts'
import { smtp } from '../plugins/mail-smtp/index.ts'
import { sqlite } from '../plugins/store-sqlite/index.ts'
import type { Figure } from './figure.ts'
import { SINK_PORT } from './references.ts'
import { sampleData, sampleHtml } from './sample-mail.ts'
import { startSmtpSink } from './smtp-sink.ts'

const CONNECTIONS = 20

/** Accepts mails into a SQLite ledger on disk, then measures how fast they leave through SMTP and are recorded. */
export async function measureDrain(mails: number): Promise<readonly Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-bench-'))
  const sink = await startSmtpSink(SINK_PORT)
  const engine = await createEngine({
    store: sqlite({ file: join(folder, 'bench.db') }),
    transports: [smtp({ host: '127.0.0.1', port: sink.port, maxConnections: CONNECTIONS })],
    projects: [{ name: 'Bench', trustedDomains: ['example.com'] }],
  })
  try {
    const [project] = await engine.projects.list()
    if (!project) throw new Error('the project was not made')
    const body = sampleHtml()
    const send = (i: number) =>
      engine.sending.send(project, {
        to: `user${i}@example.org`,
        from: { name: 'News', email: 'news@example.com' },
        subject: 'News for {{ firstName }}',
        body,
        data: sampleData(i),
      })
    for (let i = 0; i < mails; i += 500) {
      await Promise.all(Array.from({ length: Math.min(500, mails - i) }, (_, k) => send(i + k)))
    }
    const delivered = async () => (await engine.sending.list(project, { status: 'DELIVERED', limit: 1 })).total
    const cpu = process.cpuUsage()
    const start = performance.now()
    await engine.start()
    while ((await delivered()) < mails) {
      if (performance.now() - start > 300_000) throw new Error(`only ${await delivered()} of ${mails} were delivered`)
      await pause(50)
    }
    const seconds = (performance.now() - start) / 1000
    const used = process.cpuUsage(cpu)
    const perMail = (used.user + used.system) / mails
    return [
      {
        what: 'drained through SMTP, SQLite FULL',
        value: mails / seconds,
        unit: 'mails/s',
        note: `13 KB HTML + text, ${CONNECTIONS} connections`,
      },
      { what: 'CPU of the engine for each drained mail', value: perMail, unit: 'µs' },
      { what: 'RSS after draining', value: process.memoryUsage().rss / 1024 / 1024, unit: 'MB' },
    ]
  } finally {
    await engine.stop()
    await sink.close()
    rmSync(folder, { recursive: true, force: true })
  }
}
