import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { createEngine, type Engine, type GivenSettings, silentLog } from '../../config/library.ts'
import { smtp } from '../../plugins/mail-smtp/index.ts'
import { sqlite } from '../../plugins/store-sqlite/index.ts'
import { atEndOfFile } from './end-of-file.ts'
import { freshFile } from './fresh-sqlite.ts'
import { type SmtpSink, type SmtpSinkOptions, startSmtpSink } from './smtp-sink.ts'

/** The world of a test of mail: an engine, a project in it, and the server the mail goes to. */
export interface SinkWorld {
  readonly engine: Engine
  readonly project: Awaited<ReturnType<Engine['projects']['get']>>
  readonly sink: SmtpSink
  readonly folder: string
}

/**
 * An engine on its own store, with one project and a real SMTP server to send to. All are removed when the test ends, or
 * at the `end` that is named.
 */
export async function engineWithSink(
  settings: GivenSettings = {},
  sinkOptions: SmtpSinkOptions = {},
  end: (stop: () => Promise<void>) => void = onTestFinished,
): Promise<SinkWorld> {
  const sink = await startSmtpSink(sinkOptions)
  end(() => sink.close())
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-test-'))
  end(async () => rmSync(folder, { recursive: true, force: true }))
  const engine = await createEngine({
    store: sqlite({ file: freshFile(join(folder, 'test.db')), synchronous: 'NORMAL' }),
    transports: [toSink(sink)],
    projects: [{ name: 'Test', trustedDomains: ['example.com'] }],
    log: silentLog,
    ...settings,
    // a thread for each of them would take longer than most tests; `test/engine/sending-threads.test.ts` has some
    delivery: { threads: 0, ...settings.delivery },
  })
  end(() => engine.stop())
  const [project] = await engine.projects.list()
  if (!project) throw new Error('the project was not made')
  return { engine, project, sink, folder }
}

/**
 * One started engine for the tests of a file. Each of them gets a project of its own, of which nothing is seen in others,
 * and a sink without mails: to start an engine takes longer than most tests.
 */
export async function sharedWithSink(
  settings: GivenSettings = {},
  sinkOptions: SmtpSinkOptions = {},
): Promise<() => SinkWorld> {
  const projects = Array.from({ length: 20 }, (_, i) => ({ name: `Test ${i}`, trustedDomains: ['example.com'] }))
  const made = await engineWithSink({ projects, ...settings }, sinkOptions, atEndOfFile)
  await made.engine.start()
  const left = [...(await made.engine.projects.list())]
  return () => {
    const project = left.pop()
    if (project === undefined) throw new Error('there is no project left')
    made.sink.clear()
    return { ...made, project }
  }
}

/** A transport that hands everything to this sink. */
export function toSink(sink: SmtpSink, name = 'sink') {
  const plugin = smtp({ host: '127.0.0.1', port: sink.port, maxConnections: 5, tls: { rejectUnauthorized: false } })
  return { name, plugin }
}
