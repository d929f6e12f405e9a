import type { Page } from 'puppeteer-core'
import { until } from '../../support/until.ts'
import { type DashboardServer, OWNER } from '../dashboard-server.ts'
import {
  chooseBlock,
  chooseRows,
  type Files,
  giveTime,
  importBlocked,
  leaveUnsaved,
  type Opening,
  openEdited,
  openLink,
  openStep,
  openTest,
  write,
} from './by-hand.ts'

/** Answers of the API, as far as it is looked at here. */
interface Answered {
  readonly id: string
  readonly emailId: string
  readonly threadId: string
  readonly data: { readonly id: string; readonly emails: readonly { readonly email: string }[] } & readonly Answered[]
  readonly status: string
  readonly cursor?: string
  readonly testing?: { readonly phase: string }
}

type Ask = (method: string, path: string, body?: object | FormData) => Promise<Answered>

/** So many whose mail server says the same that their campaign is braked, and one to whom a mail fails for what it is. */
const REFUSED = Array.from({ length: 25 }, (_, i) => `reader${i}@refused.example`)
const STRICT_ONE = 'strict@refused.example'

/** The answers of the mail server that some of the states need. */
export const SINK = {
  recipients: Object.fromEntries([
    ...REFUSED.map((address) => [address, { code: 550, message: '5.1.1 User unknown in relay table' }]),
    [STRICT_ONE, { code: 554, message: '5.7.1 blocked by our policy' }],
  ]),
}

/** The smallest picture. */
const PICTURE = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=='

const LATER = new Date(Date.now() + 20 * 86_400_000).toISOString()
const MAIL = { subject: 'Later', body: '<p>Later</p>', from: 'news@lumen.example' }
const LEFT_OVER = { operator: 'AND', conditions: [{ field: 'data.leftOver', operator: 'exists' }] } as const

/** A caller of the API of one project, by default one that may do everything. */
async function asker(
  { engine, url }: DashboardServer,
  project: DashboardServer['demo'],
  may: { readonly scopes: readonly ('full' | 'send')[]; readonly test?: boolean } = { scopes: ['full'] },
): Promise<Ask> {
  const { key } = await engine.projects.keys.create(project, { name: 'Set up', kind: 'secret', ...may })
  return async (method, path, body) => {
    const isForm = body instanceof FormData
    const type = isForm ? {} : { 'content-type': 'application/json' }
    const answer = await fetch(new URL(path, url), {
      method,
      headers: { authorization: `Bearer ${key}`, ...type },
      ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
    })
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${method} ${path} is answered ${answer.status}: ${text}`)
    return (text === '' ? {} : JSON.parse(text)) as Answered
  }
}

/**
 * Brings things into states that no page brings them into by itself, each for the buttons that wait for it: a mail that
 * waits, a campaign that is paused, a contact who is asked to confirm. Answers the pages where they are.
 */
export async function bringAbout(server: DashboardServer, files: Files): Promise<readonly Opening[]> {
  const ask = await asker(server, server.demo)
  const page = (path: string, prepare?: (page: Page) => Promise<unknown>): Opening => ({
    url: `${server.url}p/${server.demo.id}/${path}`,
    ...(prepare === undefined ? {} : { prepare }),
  })
  const states = { server, ask, page, files }
  const made = [await contacts(states), await segments(states), await drawn(states), await inboxes(states)]
  await caught(states)
  const more = [await campaigns(states), await workflows(states), await refusals(server)]
  // another browser of the owner
  await server.engine.accounts.login(OWNER)
  return [...made, ...more].flat()
}

interface States {
  readonly server: DashboardServer
  readonly ask: Ask
  /** A page within the project. */
  readonly page: (path: string, prepare?: (page: Page) => Promise<unknown>) => Opening
  readonly files: Files
}

async function contacts({ server: { engine, demo }, ask, page, files }: States): Promise<readonly Opening[]> {
  const contact = async (email: string, more: object = {}) => (await ask('POST', '/contacts', { email, ...more })).id
  const resting = await contact('rests@example.org', { data: { vorname: 'Rosa' } })
  await engine.contacts.change(demo, resting, { pausedUntil: LATER })
  await contact('other@example.org', { data: { leftOver: 1 } })
  await ask('POST', '/v1/track', { email: 'other@example.org', event: 'unheard' })
  const { forms } = engine.subscriptions
  const form = await forms.create(demo, {
    ...{ name: 'Asks', texts: { title: 'News' }, consent: 'Yes.', doubleOptIn: true },
    fields: ['name', 'town'].map((key) => ({ type: 'text', key, label: key })),
  })
  await forms.submit((await forms.look(form.id))!, { email: 'awaited@example.org' })
  const [awaited] = (await ask('GET', '/contacts?search=awaited@')).data
  const [earlier] = (await ask('GET', '/contacts?search=asked-before')).data
  const second = await ask('GET', '/contacts?limit=20')
  const left = await contact('left@example.org')
  await ask('PATCH', `/contacts/${left}`, { subscribed: false })
  // columns of dates and numbers that may mean two things, first of all; topics that there are not, and one who left
  const dates = [
    'born,amount,joined,email,subscribed,topics',
    '03/04/2020,"1,234",05/06/2021,probe1@example.org,yes,Recipes',
    '01/02/2020,"5,678",07/08/2021,left@example.org,yes,Travels',
  ]
  // a column that the project has, and another name that mails would rather greet by
  const names = ['vorname,email', 'Ada,probe1@example.org', 'Bob,probe2@example.org']
  return [
    page('contacts/import#dates', files.chosen('dates.csv', dates.join('\n'))),
    page('contacts/import#names', files.chosen('names.csv', names.join('\n'))),
    page('contacts#chosen', chooseRows),
    page('suppressions#file', importBlocked(files.chosen('gone.csv', 'email\ngone@example.org\n', '[role="dialog"]'))),
    ...[resting, awaited?.id, earlier?.id].map((id) => page(`contacts/${id}`)),
    page('contacts?search=rests'),
    page(`contacts?cursor=${second.cursor}&page=2`),
    page(`forms/${form.id}?tab=edit`),
  ]
}

async function segments({ server: { engine, demo }, ask, page }: States): Promise<readonly Opening[]> {
  const tracked = await ask('POST', '/segments', { name: 'Followed', filters: LEFT_OVER, trackMembership: true })
  const byHand = await engine.segments.create(demo, { name: 'By hand', type: 'STATIC' })
  await engine.segments.addMembers(demo, byHand.id, { emails: ['newest@example.org', 'other@example.org'] })
  const edited = page(`segments/${tracked.id}#edited`)
  let changes = 0
  const change = () => ask('PATCH', `/segments/${tracked.id}`, { description: `Changed ${++changes} times` })
  return [
    page('segments/new'),
    { ...edited, prepare: openEdited(change) },
    ...['', '?tab=members', '?tab=changes', '?tab=rules'].map((tab) => page(`segments/${tracked.id}${tab}`)),
    ...['', '?tab=rules'].map((tab) => page(`segments/${byHand.id}${tab}`)),
  ]
}

/** Mails whose blocks are chosen, and a template whose short name is changed. */
async function drawn({ server: { engine, demo }, ask, page }: States): Promise<readonly Opening[]> {
  const upload = new FormData()
  upload.append('file', new Blob([Buffer.from(PICTURE, 'base64')], { type: 'image/png' }), 'dot.png')
  await ask('POST', '/uploads/image', upload)
  const link = [{ type: 'link', attrs: { href: 'https://example.com/more' } }]
  const text = (words: string, marks: readonly object[] = []) => ({
    type: 'paragraph',
    content: [{ type: 'text', text: words, marks }],
  })
  const content = [
    ...[text('Hello'), text('Read more', link), { type: 'button', attrs: { text: 'Go', href: 'https://example.com' } }],
    { type: 'picture', attrs: { src: '', alt: '', width: 100 } },
    { type: 'columns', content: [text('One'), text('Two')].map((each) => ({ type: 'column', content: [each] })) },
  ]
  const { id } = await engine.templates.create(demo, {
    ...{ name: 'Drawn', slug: 'drawn', subject: 'Drawn', body: '<p></p>', type: 'MARKETING', from: MAIL.from },
    design: JSON.parse(JSON.stringify({ version: 1, content })),
  })
  return [
    page(`templates/${id}#link`, openLink),
    page(`templates/${id}#test`, openTest),
    ...['button', 'picture', 'columns'].map((kind) => page(`templates/${id}#${kind}`, chooseBlock(kind))),
    page(`templates/${id}#slug`, write('main input[maxlength="100"]', 'drawn-anew')),
    page(`templates/${id}`),
  ]
}

async function inboxes({ server: { engine, demo }, ask, page }: States): Promise<readonly Opening[]> {
  const { inbox } = (await engine.inboxes.list(demo)).items.find((each) => each.inbox.name === 'Help') ?? {}
  const grant = { inboxIds: [inbox?.id], rights: ['read', 'draft'], approval: 'always' }
  await ask('POST', `/projects/${demo.id}/keys`, { name: 'Agent', kind: 'secret', scopes: ['inbox'], inbox: grant })
  const send = async (draft: object) => {
    const { id } = await ask('POST', `/inboxes/${inbox?.id}/drafts`, draft)
    return ask('POST', `/drafts/${id}/send`, {})
  }
  // more messages than a page shows at first
  const first = await send({ to: ['ada@friend.example'], subject: 'A long story', body: '<p>Chapter one</p>' })
  for (let i = 0; i < 21; i++) await send({ kind: 'reply', messageId: first.emailId, body: '<p>And then?</p>' })
  // some for what is done with several at once, which moves them
  for (let i = 0; i < 8; i++) await send({ to: ['ada@friend.example'], subject: `Story ${i}`, body: '<p>Short</p>' })
  await ask('POST', `/threads/${first.threadId}/notes`, { text: 'To be printed' })
  const draft = await ask('POST', `/inboxes/${inbox?.id}/drafts`, {
    ...{ kind: 'reply', messageId: first.emailId, body: '<p>The end</p>' },
  })
  const file = { filename: 'end.txt', contentType: 'text/plain', content: Buffer.from('end').toString('base64') }
  for (const filename of ['end.txt', 'cover.txt']) {
    await ask('POST', `/drafts/${draft.id}/attachments`, { ...file, filename })
  }
  return [page(`inboxes/${inbox?.id}/${first.threadId}`), page(`inboxes/${inbox?.id}?folder=sent#chosen`, chooseRows)]
}

/** Mails of tests, which the sandbox shows. */
async function caught({ server }: States): Promise<void> {
  const test = await asker(server, server.demo, { scopes: ['send'], test: true })
  const file = { filename: 'a.txt', content: Buffer.from('a').toString('base64'), contentType: 'text/plain' }
  const body = '<p>Your code is <b>482 913</b>. <a href="https://example.com/in">Sign in</a></p>'
  // more than the list has at first
  const to = Array.from({ length: 31 }, (_, i) => `tester${i}@example.org`)
  await test('POST', '/v1/send', { ...MAIL, to, body, attachments: [file] })
}

async function campaigns({ ask, page }: States): Promise<readonly Opening[]> {
  const sent = await ask('POST', '/v1/send', { ...MAIL, to: 'waits@example.org', scheduledFor: LATER })
  const mail = sent.data.emails[0]?.email
  const campaign = async (name: string, more: object = {}) =>
    (await ask('POST', '/campaigns', { ...MAIL, name, audienceType: 'ALL', ...more })).data.id
  const [scheduled, paused, held] = [await campaign('Scheduled'), await campaign('Paused'), await campaign('Attached')]
  await ask('POST', `/campaigns/${scheduled}/send`, { scheduledFor: LATER })
  // the hours are over, and begin again tomorrow
  const hour = (of: number) => `${String((new Date().getUTCHours() + of) % 24).padStart(2, '0')}:00`
  await ask('PATCH', `/campaigns/${paused}`, { plan: { from: hour(10), until: hour(12), timeZone: 'UTC' } })
  await ask('POST', `/campaigns/${paused}/send`, {})
  await ask('POST', `/campaigns/${paused}/pause`)
  const file = { filename: 'a.txt', content: Buffer.from('a').toString('base64'), contentType: 'text/plain' }
  await ask('POST', `/campaigns/${held}/attachments`, file)
  const test = { share: 50, winner: 'manual' }
  const variants = [{ subject: 'In short' }, { subject: 'In long' }]
  const twoWays = await campaign('Still in two ways', { variants, test })
  // in ways that were sent, of which a person chooses one; nothing waits for a choice if chance leaves a way without a recipient
  let asked: string
  let phase: string
  do {
    asked = await campaign('Asks for a choice', { variants, test })
    await ask('POST', `/campaigns/${asked}/send`, {})
    phase = await until(
      'its test is sent',
      async () => {
        const reached = (await ask('GET', `/campaigns/${asked}`)).testing?.phase
        return reached === 'waiting' || reached === 'rest' ? reached : undefined
      },
      60_000,
    )
  } while (phase === 'rest')
  const [plain, unsaved] = [await campaign('Plain'), await campaign('Unsaved')]
  const rhythm = { every: 'week', days: ['mon'], at: '09:00' }
  const { id: series } = await ask('POST', '/campaign-series', { name: 'Weekly', campaignId: plain, rhythm })
  return [
    page(`mails/${mail}#time`, giveTime),
    page(`mails/${mail}`),
    // before others send it
    ...['audience', 'send'].map((step) => page(`campaigns/${plain}?step=${step}`)),
    page('campaigns#chosen', chooseRows),
    page(`campaigns/series/${series}`),
    ...['?step=check', '', '?step=send'].map((step) => page(`campaigns/${twoWays}${step}`)),
    ...[asked, scheduled, paused, held].map((id) => page(`campaigns/${id}`)),
    // it is saved by itself a moment later: by then nothing else there is left to press
    page(`campaigns/${unsaved}#unsaved`, leaveUnsaved),
  ]
}

async function workflows({ server: { engine, demo }, ask, page }: States): Promise<readonly Opening[]> {
  const [runner] = (await ask('GET', '/contacts?search=rests')).data
  const known = (await engine.workflows.list(demo)).items
  const again = await engine.workflows.create(demo, {
    ...{ name: 'Again', eventName: 'again', allowReentry: true },
    steps: [{ key: 'end', type: 'EXIT', config: {} }],
    transitions: [{ from: 'trigger', to: 'end' }],
  })
  await engine.workflows.change(demo, again.workflow.id, { enabled: true })
  const start = (id: string) => engine.workflows.executions.start(demo, id, { contactId: runner?.id ?? '' })
  const begun = (id: string) =>
    start(id).then(
      () => true,
      () => false,
    )
  // one after the other, as a contact is in a workflow once at a time
  for (let i = 0; i < 12; i++) await until('it may run again', () => begun(again.workflow.id))
  const quiet = await engine.segments.create(demo, { name: 'Quiet', type: 'DYNAMIC', filters: LEFT_OVER })
  const begins = await engine.workflows.create(demo, {
    ...{ name: 'Begins with a segment', eventName: `segment.${quiet.slug}.entry` },
  })
  const yearly = { field: 'data.leftOver', at: '09:00' }
  const { workflow, steps } = await engine.workflows.create(demo, {
    ...{ name: 'Has all steps', eventName: 'stepped' },
    steps: [
      { key: 'asks', type: 'CONDITION', config: { field: 'data.leftOver', operator: 'exists' } },
      { key: 'date', type: 'WAIT_UNTIL', config: yearly },
      { key: 'days', type: 'WAIT_UNTIL', config: { weekdays: ['MONDAY'], at: '09:00' } },
      { key: 'end', type: 'EXIT', config: {} },
    ],
    transitions: [
      { from: 'trigger', to: 'asks' },
      { from: 'asks', to: 'date', branch: 'yes' },
      { from: 'asks', to: 'days', branch: 'no' },
      { from: 'date', to: 'end', branch: 'reached' },
    ],
  })
  for (const { id } of known) await begun(id)
  const runs = await Promise.all(
    known.map(async ({ id }) => ({
      id,
      all: (await engine.workflows.executions.list(demo, id, { limit: 100 })).items,
    })),
  )
  const [waiting] = runs.flatMap(({ id, all }) =>
    all.flatMap(({ execution }) =>
      ['RUNNING', 'WAITING'].includes(execution.status) ? [`workflows/${id}/runs/${execution.id}`] : [],
    ),
  )
  const step = (at: number) => steps[at]?.id ?? ''
  const trigger = begins.steps[0]?.id ?? ''
  return [
    ...[1, 2, 3].map((at) => page(`workflows/${workflow.id}#${at}`, openStep(step(at)))),
    page(`workflows/${begins.workflow.id}#start`, openStep(trigger)),
    ...(waiting === undefined ? [] : [page(waiting)]),
    page(`contacts/${runner?.id}#again`),
  ]
}

/** Campaigns of the second project that the mail server refuses: one is braked, one has failed. */
async function refusals(server: DashboardServer): Promise<readonly Opening[]> {
  const { second } = server
  const ask = await asker(server, second)
  for (const email of REFUSED) await ask('POST', '/contacts', { email, data: { group: 'refused' } })
  await ask('POST', '/contacts', { email: STRICT_ONE, data: { group: 'strict' } })
  const send = async (group: string, status: string) => {
    const audienceFilter = {
      operator: 'AND',
      conditions: [{ field: 'data.group', operator: 'equals', value: group }],
    }
    const words = { subject: 'Refused', body: '<p>Refused</p>', from: 'news@second.example' }
    const more = { name: `To ${group}`, audienceType: 'FILTERED', audienceFilter }
    const { id } = (await ask('POST', '/campaigns', { ...words, ...more })).data
    await ask('POST', `/campaigns/${id}/send`, {})
    const becomes = async () => (await ask('GET', `/campaigns/${id}`)).status === status
    await until(`it is ${status}`, becomes)
    return { url: `${server.url}p/${second.id}/campaigns/${id}` }
  }
  return [await send('strict', 'FAILED'), await send('refused', 'PAUSED')]
}
