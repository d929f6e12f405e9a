import { parse as parseCsv } from 'csv-parse/sync'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Deed } from '../../core/accounts/audit.ts'
import { exportAudit, MOST_EXPORTED } from '../../core/accounts/export-audit.ts'
import type { ProjectId } from '../../core/values/project-id.ts'
import { ROUTES } from '../../server/app.ts'
import { type AccountWorld, accountWorld, ORIGIN, PASSWORD, tokenOf } from '../support/accounts.ts'
import { expectEnvelope, ownProject, PROJECT, type TestApp } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'

type Entry = {
  readonly action: string
  readonly actor: { readonly type: string; readonly id: string; readonly name: string }
  readonly outcome: string
}

const TEMPLATE = { name: 'One', subject: 'Hi', body: '<p>Hi</p>', type: 'TRANSACTIONAL' } as const
/** Which of its projects sends mails about accounts. */
const ACCOUNTS = { passwordCost: 10, signup: true, projects: true, from: 'accounts@example.com', project: 'Test' }

for (const store of [QUICK]) {
  describe(`the audit log on ${store.name}`, () => {
    let world: AccountWorld
    beforeAll(async () => {
      world = await accountWorld(store, { accounts: ACCOUNTS })
    })
    const actions = async (ask: TestApp['ask'], query = '') =>
      (await ask('GET', `/audit${query}`)).body.data.map(({ action }: Entry) => action)

    it('has who changed what with a key, from where, and none of the values', async () => {
      const { ask } = await ownProject(world)
      const made = await ask('POST', '/templates', { json: TEMPLATE, headers: { 'x-request-id': 'mine-1' } })
      const { id } = made.body
      expect((await ask('PATCH', `/templates/${id}`, { json: { subject: 'secret words' } })).status).toBe(200)
      const copy = await ask('POST', `/templates/${id}/duplicate`)
      const { body } = await ask('GET', '/audit')
      const actor = { type: 'key', id: expect.any(String), name: expect.any(String) }
      const entry = { actor, outcome: 'done', address: null, requestId: expect.any(String), createdId: null }
      const target = { type: 'templates', id, name: 'One', partOf: null }
      expect(body).toMatchObject({ total: 3, hasMore: false })
      expect(body.data).toMatchObject([
        { ...entry, action: 'duplicateTemplate', target, createdId: copy.body.id, fields: [] },
        { ...entry, action: 'changeTemplate', target, fields: ['subject'] },
        {
          ...{ ...entry, action: 'createTemplate', target: { ...target, id: null }, createdId: id },
          ...{ fields: ['name', 'subject', 'body', 'type'], requestId: 'mine-1' },
        },
      ])
      expect(JSON.stringify(body)).not.toContain('secret words')
    })

    it('names a campaign that was made, whose answer stands in an envelope', async () => {
      const { ask } = await ownProject(world)
      const campaign = { name: 'Spring', subject: 'Hi', body: '<p>Hi</p>', from: 'a@example.com', audienceType: 'ALL' }
      const made = await ask('POST', '/campaigns', { json: campaign })
      const copy = await ask('POST', `/campaigns/${made.body.data.id}/duplicate`)
      expect(copy.status, copy.text).toBeLessThan(300)
      expect((await ask('GET', '/audit')).body.data).toMatchObject([
        { target: { name: 'Spring' }, createdId: copy.body.id },
        { target: { name: 'Spring' }, createdId: made.body.data.id },
      ])
    })

    it('has nothing of what was refused, read, or is the daily work of programs', async () => {
      const { ask } = await ownProject(world)
      const mail = { to: 'a@example.org', from: 'a@example.com', subject: 'Hi', body: 'Hi' }
      expect((await ask('POST', '/v1/send', { json: mail })).status).toBe(200)
      expect((await ask('POST', '/contacts', { json: { email: 'b@example.org' } })).status).toBe(201)
      expect((await ask('POST', '/templates', { json: { name: 'x' } })).status).toBe(422)
      expect((await ask('DELETE', '/templates/0198')).status).toBe(404)
      expect(await actions(ask)).toEqual([])
    })

    it('has what a person does to contacts, and who took them away as a file, without their addresses', async () => {
      const ada = await world.signup()
      const { id } = (await ada.ask('POST', '/users/@me/projects', { json: { name: 'Mine' } })).body
      const ask: TestApp['ask'] = (method, path, asked) =>
        ada.ask(method, path, { ...asked, headers: { 'x-project-id': id } })
      expect((await ask('POST', '/contacts', { json: { email: 'eve@example.org' } })).status).toBe(201)
      expect((await ask('POST', '/suppressions', { json: { email: 'eve@example.org' } })).status).toBe(201)
      expect((await ask('DELETE', '/suppressions/eve@example.org')).status).toBe(204)
      expect((await ask('GET', '/contacts/export')).status).toBe(200)
      const { body, text } = await ask('GET', '/audit')
      const deeds = ['exportContacts', 'removeSuppression', 'addSuppression', 'upsertContact', 'addMyProject']
      expect(body.data.map(({ action }: Entry) => action)).toEqual(deeds)
      expect(body.data.every(({ actor }: Entry) => actor.name === ada.email && actor.id === ada.id)).toBe(true)
      expect(text).not.toContain('eve@example.org')
      expect(body.data.map(({ target }: { target: { name: string | null } }) => target.name)).toEqual([
        ...[null, null, null, null, 'Mine'],
      ])
    })

    it('is exported as CSV with the filters of the list, as no formula, and is itself an entry', async () => {
      const { ask } = await ownProject(world)
      for (const name of ['=One', 'Two, "2"']) await ask('POST', '/topics', { json: { name } })
      expect((await ask('POST', '/templates', { json: TEMPLATE })).status).toBe(201)
      const answer = await ask('GET', '/audit/export?kind=topics')
      expect(answer.status).toBe(200)
      expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="audit-\d{4}-\d\d-\d\d\.csv"$/)
      const [header, ...rows] = parseCsv(answer.text) as string[][]
      const column = (name: string) => rows.map((row) => row[header!.indexOf(name)])
      expect(column('target')).toEqual(['Two, "2"', "'=One"])
      expect(column('action')).toEqual(['createTopic', 'createTopic'])
      expect(column('fields')).toEqual(['name', 'name'])
      expect(await actions(ask, '?action=exportAudit')).toEqual(['exportAudit'])
      const none = await ask('GET', '/audit/export?endDate=2020-01-01')
      expect(none.text.split('\r\n')).toHaveLength(2)
      expectEnvelope(await ask('GET', '/audit/export?startDate=soon'), 422, 'VALIDATION_ERROR', {
        startDate: 'invalid_date',
      })
      expectEnvelope(await ask('GET', '/audit/export', { key: null }), 401, 'MISSING_AUTH')

      // no more than its bound, a page at a time
      const actor = { actorType: 'key', actorId: 'k', actorName: 'K' } as const
      const entry = {
        id: 'e',
        projectId: PROJECT as ProjectId,
        at: new Date(0),
        action: 'x',
        ...actor,
        targetType: 'topics',
      }
      let asked = 0
      const page = async (_: unknown, __: unknown, { limit }: { readonly limit: number }) => {
        asked++
        return Array.from(
          { length: limit + 1 },
          () => ({ ...entry, fields: [], outcome: 'done', requestId: 'r' }) as const,
        )
      }
      let lines = -1
      for await (const text of exportAudit({ page }, PROJECT as ProjectId, {})) lines += text.split('\r\n').length - 1
      expect([lines, asked]).toEqual([MOST_EXPORTED, MOST_EXPORTED / 1000])
    })

    it('has the name of a thing as it was then, also after its deletion, and what a part belongs to', async () => {
      const { ask } = await ownProject(world)
      const { id } = (await ask('POST', '/workflows', { json: { name: 'Größe', eventName: 'x' } })).body
      const rename = (name: string) => ask('PATCH', `/workflows/${id}`, { json: { name } })
      expect((await rename('x'.repeat(255))).status).toBe(200)
      const step = await ask('POST', `/workflows/${id}/steps`, { json: { type: 'EXIT', name: 'End' } })
      expect(step.status).toBe(201)
      await rename('Later')
      expect((await ask('DELETE', `/workflows/${id}/steps/${step.body.id}`)).status).toBe(204)
      expect((await ask('DELETE', `/workflows/${id}`)).status).toBe(204)
      const hook = { url: 'https://hooks.example.com/secret-token', events: ['*'] }
      expect((await ask('POST', '/webhooks', { json: hook })).status).toBe(201)
      const { body, text } = await ask('GET', '/audit')
      const workflow = { type: 'workflows', id }
      expect(body.data.map(({ target }: { target: object }) => target)).toEqual([
        { type: 'webhooks', id: null, name: 'hooks.example.com', partOf: null },
        { ...workflow, name: 'Later', partOf: null },
        { type: 'steps', id: step.body.id, name: 'Later', partOf: workflow },
        { ...workflow, name: 'x'.repeat(200), partOf: null },
        { ...workflow, name: 'x'.repeat(200), partOf: null },
        { ...workflow, name: 'Größe', partOf: null },
        { ...workflow, id: null, name: 'Größe', partOf: null },
      ])
      expect(text).not.toContain('secret-token')
      expect(await actions(ask, '?kind=steps')).toEqual(['deleteStep'])
      expect(await actions(ask, `?target=${id}&limit=2`)).toEqual(['deleteWorkflow', 'deleteStep'])
      expectEnvelope(await ask('GET', `/audit?kind=${'x'.repeat(201)}`), 422, 'VALIDATION_ERROR', { kind: 'too_big' })
    })

    it('is narrowed by who, what, which and when, and goes on page by page', async () => {
      const { ask } = await ownProject(world)
      const first = (await ask('POST', '/templates', { json: TEMPLATE })).body
      const second = (await ask('POST', '/templates', { json: { ...TEMPLATE, name: 'Two' } })).body
      await ask('DELETE', `/templates/${first.id}`)
      const [{ actor }] = (await ask('GET', '/audit')).body.data
      expect(await actions(ask, `?target=${second.id}`)).toEqual(['createTemplate'])
      expect(await actions(ask, `?target=${first.id}`)).toEqual(['deleteTemplate', 'createTemplate'])
      expect(await actions(ask, `?actor=${actor.id}&action=deleteTemplate`)).toEqual(['deleteTemplate'])
      expect(await actions(ask, '?actor=nobody@example.org')).toEqual([])
      expect(await actions(ask, '?endDate=2020-01-01')).toEqual([])
      expect(await actions(ask, '?startDate=2020-01-01')).toHaveLength(3)
      const page = (await ask('GET', '/audit?limit=2')).body
      expect(await actions(ask, `?limit=2&cursor=${page.cursor}`)).toEqual(['createTemplate'])
      expectEnvelope(await ask('GET', `/audit?action=x&cursor=${page.cursor}`), 400, 'BAD_REQUEST')
      expectEnvelope(await ask('GET', `/audit?actor=${'x'.repeat(201)}`), 422, 'VALIDATION_ERROR', { actor: 'too_big' })
      const twisted = await ask('GET', '/audit?startDate=2026-01-02&endDate=2026-01-01')
      expectEnvelope(twisted, 422, 'VALIDATION_ERROR', { endDate: 'too_small' })
    })

    it('has who joined a project, and is for those who may change everything', async () => {
      const ada = await world.signup()
      const { id } = (await ada.ask('POST', '/users/@me/projects', { json: { name: 'Crew' } })).body
      const email = 'new-member@example.org'
      const invited = await ada.ask('POST', `/projects/${id}/members`, { json: { email, role: 'MEMBER' } })
      expect(invited).toMatchObject({ status: 201, body: { status: 'INVITED' } })
      const token = tokenOf(await world.linkTo(email, 'accept-invite'))
      const bob = world.browserOf(await world.open('POST', '/auth/accept-invite', { token, password: PASSWORD }))
      const headers = { 'x-project-id': id }
      const { body } = await ada.ask('GET', '/audit', { headers })
      expect(body.data).toMatchObject([
        { action: 'acceptInvite', actor: { id: bob.id, name: email } },
        {
          action: 'addMember',
          target: { type: 'members', name: email },
          fields: ['email', 'role'],
          createdId: expect.any(String),
        },
        { action: 'addMyProject', target: { type: 'projects', name: 'Crew' }, createdId: id },
      ])
      expectEnvelope(await bob.ask('GET', '/audit', { headers }), 403, 'FORBIDDEN')
    })

    it('tells people of their own account, logins among it, and nobody else', async () => {
      const ada = await world.signup()
      const json = { email: ada.email, password: PASSWORD }
      expect((await world.open('POST', '/auth/login', { ...json, password: 'wrong' })).status).toBe(401)
      const entered = await world.open('POST', '/auth/login', json, { origin: ORIGIN })
      const change = { currentPassword: PASSWORD, password: 'another password' }
      const changed = await world.browserOf(entered).ask('PATCH', '/users/@me', { json: change })
      const cookie = changed.headers.getSetCookie()[0]?.split(';', 1)[0] ?? ''
      const { body, text } = await ada.ask('GET', '/users/@me/audit', { headers: { cookie } })
      expect(body.data).toMatchObject([
        { action: 'changeMe', fields: ['currentPassword', 'password'], outcome: 'done' },
        { action: 'logIn', target: { type: 'users', id: ada.id } },
        { action: 'signUp' },
      ])
      expect(text).not.toContain('another password')
      const bob = await world.signup()
      expect((await bob.ask('GET', '/users/@me/audit')).body.data).toMatchObject([{ action: 'signUp' }])
    })
  })
}

describe('a change', () => {
  it('that broke off is in the audit log, and one that cannot be written down is not made', async () => {
    const world = await accountWorld(QUICK)
    const [project] = await world.engine.projects.list()
    const deed: Deed = {
      ...{ projectId: project!.id, action: 'sendCampaign', targetType: 'campaigns', fields: [], requestId: 'r' },
      ...{ actorType: 'user' as const, actorId: 'u', actorName: 'u@example.org' },
    }
    const ends = { doneOf: () => ({}), isRefused: () => false }
    const broken = world.engine.accounts.audit.during(deed, () => Promise.reject(new Error('the process ended')), ends)
    await expect(broken).rejects.toThrow('the process ended')
    expect((await world.ask('GET', '/audit')).body.data).toMatchObject([{ action: 'sendCampaign', outcome: 'unknown' }])

    let made = false
    const act = async () => {
      made = true
    }
    const unwritten = world.engine.accounts.audit.during({ ...deed, actorType: null as never }, act, ends)
    await expect(unwritten).rejects.toThrow()
    expect(made).toBe(false)
  })

  it('is kept whatever the route, but for these', () => {
    const writes = ROUTES.filter(({ access, method }) => access !== 'open' && method !== 'GET')
    const told = (audit: string) => writes.filter((route) => route.audit === audit).map(({ operation }) => operation)
    // they change nothing, or are what keys are for, and have lists of their own
    expect(told('never').sort()).toEqual([
      ...[
        'changeTexts',
        'checkDomainNow',
        'checkMail',
        'explainRoute',
        'lookUpContacts',
        'lookUpMyBlocklists',
        'notePresence',
        'previewCampaign',
        'previewImport',
        'previewSeries',
        'renderTemplate',
      ],
      ...['requestVerification', 'saveTemplateDraft', 'sendBatch', 'sendMail', 'sendMessage'],
      ...['testMailServer', 'testProjectMailServer', 'testStep', 'trackContactEvent', 'trackEvent', 'verifyAddress'],
    ])
    // what programs do all day with a key
    expect(told('people').sort()).toEqual([
      ...[
        'addSegmentMembers',
        'addSuppression',
        'addThreadNote',
        'assistThread',
        'attachToDraft',
        'cancelEmail',
        'changeContact',
      ],
      ...[
        'changeDraft',
        'changeThread',
        'chooseTopics',
        'clearSandbox',
        'createDraft',
        'deleteDraft',
        'deleteThreadNote',
      ],
      ...['detachFromDraft', 'removeCaughtMail', 'removeSegmentMembers'],
      ...['rescheduleEmail', 'resendEmail', 'sendDraft', 'startExecution', 'undoDraft', 'upsertContact'],
    ])
  })
})
