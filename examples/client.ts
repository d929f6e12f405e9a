// Calls a Mailwright server with types made from its OpenAPI document. docs/client.md explains it.
import { createClient, type MailwrightClient } from 'mailwright/client'

/** Sends a welcome mail, only once however often it is called for the same order, and returns the mail's id. */
export async function welcome(mailwright: MailwrightClient, email: string, order: string): Promise<string> {
  const { data, error } = await mailwright.POST('/v1/send', {
    params: { header: { 'Idempotency-Key': `welcome-${order}` } },
    body: { to: email, from: 'hello@example.com', subject: 'Welcome', body: '<p>Good to have you.</p>' },
  })
  if (error) throw new Error(error.message)
  return data.data.emails[0]?.email ?? ''
}

/** The names of all templates, page by page. */
export async function templateNames(mailwright: MailwrightClient): Promise<readonly string[]> {
  const names: string[] = []
  for (let cursor: string | undefined; ; ) {
    const query = cursor === undefined ? { limit: 100 } : { limit: 100, cursor }
    const { data, error } = await mailwright.GET('/templates', { params: { query } })
    if (error) throw new Error(error.message)
    names.push(...data.templates.map(({ name }) => name))
    if (data.cursor === null) return names
    cursor = data.cursor
  }
}

/** The client these take. */
export function connect(baseUrl: string, key: string): MailwrightClient {
  return createClient({ baseUrl, key })
}
