import { type ParsedMail, simpleParser } from 'mailparser'
import type { Engine, EngineSettings, JsonObject } from '../../config/library.ts'
import { listen } from '../../server/http/http-server.ts'
import { toSink } from '../support/engine.ts'
import { freePort } from '../support/server-process.ts'
import { startSmtpSink } from '../support/smtp-sink.ts'
import { createApp, createEngine, silentLog } from './compiled.ts'

/** A mail as it was received, and the contact it came to. */
interface MailedPages {
  readonly mail: ParsedMail
  /** Where the link at its end leads. */
  readonly unsubscribeUrl: string
  readonly contactId: string
}

/** A server of our own on a port, with one project, that sends real mail over SMTP. */
export interface PageServer {
  readonly engine: Engine
  readonly project: Awaited<ReturnType<Engine['projects']['get']>>
  /** Sends a marketing mail to a new subscriber and waits for it. */
  mailTo(email: string, data?: JsonObject): Promise<MailedPages>
  /** Signs a contact up as a web page does, and waits for the mail that asks for a confirmation. */
  confirmation(email: string, data?: JsonObject): Promise<ParsedMail>
  stop(): Promise<void>
}

/** Starts it; `name` is the project's. */
export async function startPageServer(store: EngineSettings['store'], name: string): Promise<PageServer> {
  const port = await freePort()
  const sink = await startSmtpSink()
  const engine = await createEngine({
    ...{ store, publicUrl: `http://127.0.0.1:${port}`, transports: [toSink(sink)] },
    projects: [{ name, trustedDomains: ['example.com'], doubleOptIn: { from: 'news@example.com' } }],
  })
  await engine.start()
  const http = await listen(createApp(engine, { log: false }), { host: '127.0.0.1', port }, silentLog)
  const [project] = await engine.projects.list()
  if (!project) throw new Error('the project was not made')
  const fields = { name: 'Letter', subject: 'News', body: '<h1>News</h1><p>Hello</p>', type: 'MARKETING' } as const
  const { id: template } = await engine.templates.create(project, { ...fields, from: 'news@example.com' })
  const mailBehind = async (count: number) => simpleParser((await sink.waitFor(count + 1)).at(-1)?.raw ?? '')
  return {
    engine,
    project,
    async confirmation(email, data = {}) {
      const before = sink.messages.length
      await engine.events.track(project, { email, event: 'signup', data }, { callerKind: 'public' })
      return mailBehind(before)
    },
    async mailTo(email, data = {}) {
      const before = sink.messages.length
      const { answer } = await engine.sending.send(project, { to: email, template, subscribed: true, data })
      const mail = await mailBehind(before)
      const unsubscribeUrl = /href="(http[^"]+\/unsubscribe\/[^"]+)"/.exec(String(mail.html))?.[1] ?? ''
      return { mail, unsubscribeUrl, contactId: answer.emails[0]?.contact.id ?? '' }
    },
    async stop() {
      await http.close(1000)
      await engine.stop()
      await sink.close()
    },
  }
}
