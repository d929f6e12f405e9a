import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createEngine, type Engine, type GivenSettings, silentLog } from '../../config/library.ts'
import { smtp } from '../../plugins/mail-smtp/index.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { freshFile } from './fresh-sqlite.ts'
import { type SmtpSink, type SmtpSinkOptions, startSmtpSink } from './smtp-sink.ts'

/**
 * An engine on its own store, with one project and a real SMTP server to send to. All are removed when the test ends.
 */
export async function engineWithSink(
  settings: GivenSettings = {},
  sinkOptions: SmtpSinkOptions = {},
): Promise<{
  engine: Engine
  project: Awaited<ReturnType<Engine['projects']['get']>>
  sink: SmtpSink
  folder: string
}> {
  const sink = await startSmtpSink(sinkOptions)
  onTestFinished(() => sink.close())
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-test-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const engine = await createEngine({
    store: sqlite({ file: freshFile(join(folder, 'test.db')), synchronous: 'NORMAL' }),
    transports: [toSink(sink)],
    projects: [{ name: 'Test', trustedDomains: ['example.com'] }],
    log: silentLog,
    ...settings,
  })
  onTestFinished(() => engine.stop())
  const [project] = await engine.projects.list()
  if (!project) throw new Error('the project was not made')
  return { engine, project, sink, folder }
}

/** A transport that hands everything to this sink. */
export function toSink(sink: SmtpSink, name = 'sink') {
  const plugin = smtp({ host: '127.0.0.1', port: sink.port, maxConnections: 5, tls: { rejectUnauthorized: false } })
  return { name, plugin }
}
