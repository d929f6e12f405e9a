import { type DashboardServer, OWNER } from '../dashboard-server.ts'

/** Answers of the API, as far as it is looked at here. */
interface Answered {
  readonly id: string
  readonly data: { readonly id: string; readonly emails: readonly { readonly email: string }[] } & readonly Answered[]
  readonly status: string
  readonly cursor?: string
}

/**
 * Brings things into states that no page brings them into by itself, each for the buttons that wait for it: a mail that
 * waits, a campaign that is paused, a contact who is asked to confirm. Answers the pages where they are, within the project.
 */
export async function bringAbout({ engine, demo, url }: DashboardServer): Promise<readonly string[]> {
  const { key } = await engine.projects.keys.create(demo, { name: 'Set up', kind: 'secret', scopes: ['full'] })
  const ask = async (method: string, path: string, body?: object): Promise<Answered> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const request = body === undefined ? {} : { body: JSON.stringify(body) }
    const answer = await fetch(new URL(path, url), { method, headers, ...request })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} is answered ${answer.status}: ${text}`)
    return (text === '' ? {} : JSON.parse(text)) as Answered
  }
  const later = new Date(Date.now() + 20 * 86_400_000).toISOString()
  const from = 'news@lumen.example'
  const mail = { subject: 'Later', body: '<p>Later</p>', from }
  const sent = await ask('POST', '/v1/send', { ...mail, to: 'waits@example.org', scheduledFor: later })

  const campaign = async (name: string, more: object = {}) =>
    (await ask('POST', '/campaigns', { ...mail, name, audienceType: 'ALL', ...more })).data.id
  const [scheduled, paused, held] = [await campaign('Scheduled'), await campaign('Paused'), await campaign('Attached')]
  await ask('POST', `/campaigns/${scheduled}/send`, { scheduledFor: later })
  // the hours are over, and begin again tomorrow
  const hour = (of: number) => `${String((new Date().getUTCHours() + of) % 24).padStart(2, '0')}:00`
  await ask('PATCH', `/campaigns/${paused}`, { plan: { from: hour(10), until: hour(12), timeZone: 'UTC' } })
  await ask('POST', `/campaigns/${paused}/send`, {})
  await ask('POST', `/campaigns/${paused}/pause`)
  const file = { filename: 'a.txt', content: Buffer.from('a').toString('base64'), contentType: 'text/plain' }
  await ask('POST', `/campaigns/${held}/attachments`, file)
  const twoWays = await campaign('Still in two ways', {
    variants: [{ subject: 'In short' }, { subject: 'In long' }],
    test: { share: 50, winner: 'manual' },
  })

  const contact = async (email: string, more: object = {}) => (await ask('POST', '/contacts', { email, ...more })).id
  const resting = await contact('rests@example.org')
  await engine.contacts.change(demo, resting, { pausedUntil: later })
  await contact('other@example.org', { data: { leftOver: 1 } })
  await ask('POST', '/v1/track', { email: 'other@example.org', event: 'unheard' })
  const { forms } = engine.subscriptions
  const form = await forms.create(demo, {
    ...{ name: 'Asks', texts: { title: 'News' }, consent: 'Yes.', fields: [], doubleOptIn: true },
  })
  await forms.submit((await forms.look(form.id))!, { email: 'awaited@example.org' })
  const [awaited] = (await ask('GET', '/contacts?search=awaited')).data

  const filters = { operator: 'AND', conditions: [{ field: 'data.leftOver', operator: 'exists' }] }
  const tracked = await ask('POST', '/segments', { name: 'Followed', type: 'DYNAMIC', filters, trackMembership: true })
  const { inbox } = (await engine.inboxes.list(demo)).items.find((each) => each.inbox.name === 'Help') ?? {}
  const grant = { inboxIds: [inbox?.id], rights: ['read', 'draft'], approval: 'always' }
  await ask('POST', `/projects/${demo.id}/keys`, { name: 'Agent', kind: 'secret', scopes: ['inbox'], inbox: grant })
  const workflows = (await engine.workflows.list(demo)).items
  for (const { id } of workflows)
    await engine.workflows.executions.start(demo, id, { contactId: resting }).catch(() => undefined)
  const runs = await Promise.all(
    workflows.map(async ({ id }) => ({
      id,
      all: (await engine.workflows.executions.list(demo, id, { limit: 100 })).items,
    })),
  )
  const [waiting] = runs.flatMap(({ id, all }) =>
    all.flatMap(({ execution }) =>
      ['RUNNING', 'WAITING'].includes(execution.status) ? [`workflows/${id}/runs/${execution.id}`] : [],
    ),
  )
  const second = await ask('GET', '/contacts?limit=20')
  // another browser of the owner
  await engine.accounts.login(OWNER)
  return [
    `mails/${sent.data.emails[0]?.email}`,
    ...[scheduled, paused, held].map((id) => `campaigns/${id}`),
    ...['', '?step=check', '?step=send'].map((step) => `campaigns/${twoWays}${step}`),
    ...[resting, awaited?.id].map((id) => `contacts/${id}`),
    `segments/${tracked.id}?tab=changes`,
    ...(waiting === undefined ? [] : [waiting]),
    `contacts?search=rests`,
    `contacts?cursor=${second.cursor}&page=2`,
  ]
}
