import type { TestApp } from './app.ts'
import { until } from './until.ts'

/** A mail that was sent, with what its provider may call it and what became of it. */
export interface SentMail {
  readonly id: string
  readonly to: string
  readonly messageId: string
  status(): Promise<string>
  /** The names of its events. */
  events(): Promise<readonly string[]>
  /** Its own events of this name, as they are told. */
  told(name: string): Promise<readonly Readonly<Record<string, unknown>>[]>
  isSuppressed(): Promise<boolean>
}

let count = 0

/** Sends a mail to somebody new and waits until it is out. */
export async function sentMail({ ask }: Pick<TestApp, 'ask'>, to = `person${++count}@example.org`): Promise<SentMail> {
  const json = { to, from: 'hello@example.com', subject: 'Hi', body: '<p><a href="https://example.com/">Hi</a></p>' }
  const sent = await ask('POST', '/v1/send', { json: { ...json, subscribed: true } })
  const id: string = sent.body.data.emails[0].email
  const detail = async () => (await ask('GET', `/emails/${id}`)).body
  await until('it is out', async () => ['SENT', 'DELIVERED'].includes((await detail()).status))
  const told = async (name: string) =>
    (await detail()).events
      .filter((event: { name: string }) => event.name === name)
      .map(({ data }: { data: Readonly<Record<string, unknown>> }) => data)
  return {
    ...{ id, to, messageId: `<${id}@example.com>` },
    status: async () => (await detail()).status,
    events: async () => (await detail()).events.map(({ name }: { name: string }) => name),
    told,
    isSuppressed: async () => {
      const { body } = await ask('GET', '/suppressions?limit=100')
      return body.data.some(({ email }: { email: string }) => email === to)
    },
  }
}
