import type { TestApp } from './app.ts'
import { until } from './until.ts'

/** A sent mail, with its Message-ID, its status and its events. */
export interface SentMail {
  readonly id: string
  readonly to: string
  readonly messageId: string
  status(): Promise<string>
  /** The names of its events. */
  events(): Promise<readonly string[]>
  /** The data of its events with this name. */
  eventData(name: string): Promise<readonly Readonly<Record<string, unknown>>[]>
  isSuppressed(): Promise<boolean>
}

let count = 0

/** Sends a mail to a new recipient and waits until it is sent. */
export async function sentMail({ ask }: Pick<TestApp, 'ask'>, to = `person${++count}@example.org`): Promise<SentMail> {
  const json = { to, from: 'hello@example.com', subject: 'Hi', body: '<p><a href="https://example.com/">Hi</a></p>' }
  const sent = await ask('POST', '/v1/send', { json: { ...json, subscribed: true } })
  const id: string = sent.body.data.emails[0].email
  const detail = async () => (await ask('GET', `/emails/${id}`)).body
  await until('it is out', async () => ['SENT', 'DELIVERED'].includes((await detail()).status))
  const eventData = async (name: string) =>
    (await detail()).events
      .filter((event: { name: string }) => event.name === name)
      .map(({ data }: { data: Readonly<Record<string, unknown>> }) => data)
  return {
    ...{ id, to, messageId: `<${id}@example.com>` },
    status: async () => (await detail()).status,
    events: async () => (await detail()).events.map(({ name }: { name: string }) => name),
    eventData,
    isSuppressed: async () => {
      const { body } = await ask('GET', '/suppressions?limit=100')
      return body.data.some(({ email }: { email: string }) => email === to)
    },
  }
}
