import { simpleParser } from 'mailparser'
import { beforeAll, describe, expect, it } from 'vitest'
import { type AccountWorld, accountWorld, type Browser } from '../support/accounts.ts'
import { PROJECT, SECRET } from '../support/app.ts'
import { QUICK } from '../support/matrix.ts'
import { until } from '../support/until.ts'

describe.each([QUICK])('agents under control, on $name', ({ store }) => {
  let world: AccountWorld
  let owner: Browser
  let member: Browser

  beforeAll(async () => {
    const accounts = {
      passwordCost: 10,
      signup: true,
      from: 'accounts@example.com',
      dashboardUrl: 'https://a.example/app/',
    }
    world = await accountWorld({ store }, { accounts })
    owner = await world.signup({ secretKey: SECRET })
    member = await world.signup()
    await world.open('POST', await world.linkTo(member.email, 'verify-email'))
    const invited = await owner.ask('POST', `/projects/${PROJECT}/members`, {
      json: { email: member.email, role: 'MEMBER' },
    })
    expect(invited.status).toBe(201)
    const link = await world.linkTo(member.email, 'accept-invite')
    const joined = await world.open('POST', link, {}, { cookie: member.cookie })
    expect(joined.status, joined.text).toBeLessThan(400)
  })

  const ask = async (method: string, path: string, json?: object, key = SECRET) => {
    const { status, text, body } = await world.ask(method, path, { key, ...(json === undefined ? {} : { json }) })
    expect(status, `${method} ${path}: ${text}`).toBeLessThan(300)
    return body
  }
  const agentFor = async (inboxId: string, approval: string) => {
    const grant = { inboxIds: [inboxId], rights: ['draft', 'send', 'organise'], approval }
    const json = { name: 'agent {{ x }}', kind: 'secret', scopes: ['inbox'], inbox: grant }
    return ask('POST', `/projects/${PROJECT}/keys`, json)
  }
  const draftOf = async (inboxId: string, key: string) =>
    ask('POST', `/inboxes/${inboxId}/drafts`, { to: ['bob@friend.example'], subject: 'Hi', body: 'x' }, key)
  const mailsTo = (email: string) =>
    world.sink.messages.filter(
      ({ to, raw }) => to.includes(email) && /waits for your approval|wartet auf Ihre Freigabe/.test(String(raw)),
    )

  it('members who see the inbox are mailed when a draft waits, once an hour for each inbox', async () => {
    await owner.ask('PATCH', '/users/@me', { json: { language: 'de' } })
    const inbox = await ask('POST', '/inboxes', { name: 'Help {{ y }}', address: 'help@example.com' })
    const own = await ask('POST', '/inboxes', { name: 'Boss', address: 'boss@example.com', memberIds: [owner.id] })
    const [agent, other] = [await agentFor(inbox.id, 'always'), await agentFor(own.id, 'always')]
    for (const { id } of [await draftOf(inbox.id, agent.key), await draftOf(inbox.id, agent.key)]) {
      expect((await ask('POST', `/drafts/${id}/send`, {}, agent.key)).status).toBe('waiting')
    }
    await until('both members are mailed', () => mailsTo(owner.email).length > 0 && mailsTo(member.email).length > 0)
    const { subject, text } = await simpleParser(mailsTo(member.email)[0]!.raw)
    expect(subject).toBe('A mail waits for your approval')
    expect(text).toContain('agent {{ x }} has written a mail in the inbox Help {{ y }} of the project Test')
    expect(text).not.toContain('bob@friend.example')
    // the slash at the end of the dashboard's address goes when settings are read
    expect(text).toContain(`https://a.example/app/p/${PROJECT}/inboxes/approvals`)
    const german = await simpleParser(mailsTo(owner.email)[0]!.raw)
    expect(german.subject).toBe('Eine Mail wartet auf Ihre Freigabe')
    expect(german.text).toContain('agent {{ x }} hat im Postfach Help {{ y }} des Projekts Test eine Mail geschrieben')
    await ask('POST', `/drafts/${(await draftOf(own.id, other.key)).id}/send`, {}, other.key)
    await until('the other inbox is reported', () => mailsTo(owner.email).length > 1)
    // one more within the hour is reported after it, and nothing else is
    world.pass(60)
    await ask('POST', `/drafts/${(await draftOf(inbox.id, agent.key)).id}/send`, {}, agent.key)
    world.pass(3_700)
    await until('the later one is reported', () => mailsTo(member.email).length > 1)
    await until('the owner is told of it, too', () => mailsTo(owner.email).length > 2)
    await new Promise((resolve) => setTimeout(resolve, 5_500))
    expect([mailsTo(owner.email).length, mailsTo(member.email).length]).toEqual([3, 2])
  }, 120_000)

  it("a stopped key's mails for later are taken back and wait for a person, and no others", async () => {
    const inbox = await ask('POST', '/inboxes', { name: 'Later', address: 'later@example.com' })
    const [agent, other] = [await agentFor(inbox.id, 'never'), await agentFor(inbox.id, 'never')]
    const sendAt = new Date(Date.now() + 20 * 86_400_000).toISOString()
    const laterOf = async (key: string, more: object = { sendAt }) =>
      ask('POST', `/drafts/${(await draftOf(inbox.id, key)).id}/send`, more, key)
    const [soon, later] = [await laterOf(agent.key, { undoSeconds: 60 }), await laterOf(agent.key)]
    const own = await laterOf(SECRET)
    const others = await laterOf(other.key)
    const now = await laterOf(agent.key, {})
    await owner.ask('PATCH', `/projects/${PROJECT}/keys/${agent.id}`, { json: { stopped: true } })
    for (const { id, emailId } of [soon, later]) {
      expect(await ask('GET', `/drafts/${id}`)).toMatchObject({ status: 'waiting', emailId: null, sendAt: null })
      expect(await ask('GET', `/emails/${emailId}`)).toMatchObject({ status: 'SKIPPED', skipReason: 'cancelled' })
    }
    for (const { id } of [own, others, now]) expect((await ask('GET', `/drafts/${id}`)).status).toBe('sent')
    const { data } = await ask('GET', '/approvals?limit=100')
    expect(data.map(({ id }: { id: string }) => id)).toEqual(expect.arrayContaining([soon.id, later.id]))
    // a person may send it all the same
    const approved = await member.ask('POST', `/drafts/${later.id}/approve`, {
      json: { version: data.find(({ id }: { id: string }) => id === later.id).version },
      headers: { 'x-project-id': PROJECT },
    })
    expect(approved.body.status).toBe('sent')
    await owner.ask('PATCH', `/projects/${PROJECT}/keys`, { json: { stopped: true } })
    expect((await ask('GET', `/drafts/${others.id}`)).status).toBe('waiting')
    expect((await ask('GET', `/drafts/${own.id}`)).status).toBe('sent')
    await owner.ask('PATCH', `/projects/${PROJECT}/keys`, { json: { stopped: false } })
  })

  it('a stopped key reads and does nothing else, one or all of them, until it is let work again', async () => {
    const inbox = await ask('POST', '/inboxes', { name: 'Stop', address: 'stop@example.com' })
    const [agent, other] = [await agentFor(inbox.id, 'never'), await agentFor(inbox.id, 'never')]
    const draft = await draftOf(inbox.id, agent.key)
    const sent = await ask('POST', `/drafts/${(await draftOf(inbox.id, other.key)).id}/send`, {}, other.key)
    const later = await draftOf(inbox.id, agent.key)
    const stop = (stopped: boolean, path = `/projects/${PROJECT}/keys/${agent.id}`) =>
      owner.ask('PATCH', path, { json: { stopped } })
    // any member who sees an inbox of it may stop an agent, and only who manages keys lets it work again
    const hidden = await ask('POST', '/inboxes', { name: 'Own', address: 'own@example.com', memberIds: [owner.id] })
    const unseen = await agentFor(hidden.id, 'never')
    const byMember = async (path: string, stopped: boolean) =>
      (await member.ask('PATCH', `/projects/${PROJECT}/keys${path}`, { json: { stopped } })).status
    expect(await byMember(`/${agent.id}`, true)).toBe(200)
    expect(await byMember(`/${agent.id}`, false)).toBe(403)
    expect(await byMember(`/${unseen.id}`, true)).toBe(404)
    expect(await byMember('', true)).toBe(200)
    await draftOf(hidden.id, unseen.key)
    expect((await world.ask('POST', `/inboxes/${inbox.id}/drafts`, { key: other.key, json: {} })).status).toBe(403)
    expect(await byMember('', false)).toBe(403)
    await owner.ask('PATCH', `/projects/${PROJECT}/keys`, { json: { stopped: false } })
    expect((await stop(true)).body).toMatchObject({ id: agent.id, stoppedAt: expect.any(String) })
    const tries = async (key: string) => {
      const asked = [
        await world.ask('GET', `/inboxes/${inbox.id}`, { key }),
        await world.ask('PATCH', `/threads/${sent.threadId}`, { key, json: { read: true } }),
        await world.ask('POST', `/inboxes/${inbox.id}/drafts`, { key, json: { subject: 'x' } }),
        await world.ask('PATCH', `/drafts/${draft.id}`, { key, json: { subject: 'x' } }),
        await world.ask('POST', `/drafts/${later.id}/send`, { key }),
        await world.ask('DELETE', `/drafts/${draft.id}`, { key }),
        await world.ask('PATCH', `/threads/${sent.threadId}`, { key, json: { folder: 'trash' } }),
      ]
      return asked.map(({ status }) => status)
    }
    expect(await tries(agent.key)).toEqual([200, 200, 403, 403, 403, 403, 403])
    const refusal = await world.ask('POST', `/drafts/${draft.id}/send`, { key: agent.key })
    expect(refusal.body.error.message).toBe('This key was stopped: it may read, and nothing else.')
    // the other one works, until all are stopped
    await draftOf(inbox.id, other.key)
    const all = await stop(true, `/projects/${PROJECT}/keys`)
    expect(all.body.every(({ stoppedAt }: { stoppedAt: string | null }) => stoppedAt !== null)).toBe(true)
    expect((await world.ask('POST', `/inboxes/${inbox.id}/drafts`, { key: other.key, json: {} })).status).toBe(403)
    // a process that does not know of it yet sends nothing either
    const project = await world.engine.projects.get(PROJECT)
    const by = { authorType: 'key', authorId: agent.id, authorName: 'agent', grant: agent.inbox } as const
    await expect(world.engine.inboxes.drafts.send(project, draft.id, {}, by)).rejects.toMatchObject({
      code: 'FORBIDDEN',
    })
    expect((await ask('GET', `/drafts/${draft.id}`)).status).toBe('open')
    await stop(false)
    expect((await ask('POST', `/drafts/${draft.id}/send`, {}, agent.key)).status).toBe('sent')
    await stop(false, `/projects/${PROJECT}/keys`)
    await draftOf(inbox.id, other.key)
    // keys that are no agents are left alone, and wrong requests are refused
    const { data } = await ask('GET', '/audit?action=changeApiKey')
    expect(data[0]).toMatchObject({ action: 'changeApiKey', actor: { id: owner.id } })
    const [full] = (await owner.ask('GET', `/projects/${PROJECT}/keys`)).body.filter(
      ({ scopes }: { scopes: readonly string[] }) => scopes.includes('full'),
    )
    expect(full.stoppedAt).toBeNull()
    const wrong = [
      await stop(true, `/projects/${PROJECT}/keys/${full.id}`),
      await stop(true, `/projects/${PROJECT}/keys/x`),
      await owner.ask('PATCH', `/projects/${PROJECT}/keys/${full.id}`, { json: { name: 'config' } }),
      await owner.ask('PATCH', `/projects/${PROJECT}/keys/${agent.id}`, { json: { name: 'x', scopes: ['full'] } }),
      await owner.ask('PATCH', `/projects/${PROJECT}/keys`, { json: { stopped: 'yes' } }),
    ]
    expect(wrong.map(({ status }) => status)).toEqual([422, 404, 422, 200, 422])
    expect(wrong[0]?.body.error.errors).toMatchObject([{ field: 'stopped' }])
    // with a name, too, nothing is done, and to members who manage no keys it does not exist
    const renamed = await owner.ask('PATCH', `/projects/${PROJECT}/keys/${full.id}`, {
      json: { name: 'lost', stopped: false },
    })
    expect(renamed.status).toBe(422)
    expect((await owner.ask('GET', `/projects/${PROJECT}/keys`)).text).not.toContain('"lost"')
    expect(await byMember(`/${full.id}`, true)).toBe(404)
    // another name, and no other right: what a key may do is no field of the request
    expect(wrong[3]?.body).toMatchObject({ name: 'x', scopes: ['inbox'], inbox: agent.inbox })
  })

  it('a person sees what was changed since the draft waited or was refused, and never approves it unseen', async () => {
    const inbox = await ask('POST', '/inboxes', { name: 'Changes', address: 'changes@example.com' })
    const { key } = await agentFor(inbox.id, 'always')
    const { id } = await draftOf(inbox.id, key)
    const headers = { 'x-project-id': PROJECT }
    const decide = (how: string, json: object) => owner.ask('POST', `/drafts/${id}/${how}`, { json, headers })
    const change = async (json: object, by = key) => (await ask('PATCH', `/drafts/${id}`, json, by)).changedFrom
    // before it waits there is nothing that a person has been asked about
    expect(await change({ body: 'first' })).toBeUndefined()
    await ask('POST', `/drafts/${id}/send`, {}, key)
    const asked = {
      version: 2,
      subject: 'Hi',
      body: 'first',
      to: [{ email: 'bob@friend.example' }],
      cc: [],
      bcc: [],
      files: [],
    }
    expect(await change({ body: 'second', to: ['eve@friend.example'] })).toEqual(asked)
    const file = { filename: 'a.txt', contentType: 'text/plain', content: 'eA==' }
    // the first of several changes says what was asked about
    expect((await ask('POST', `/drafts/${id}/attachments`, file, key)).changedFrom).toEqual(asked)
    // others wait, too
    expect((await ask('GET', '/approvals')).data).toContainEqual(
      expect.objectContaining({ id, version: 4, status: 'waiting', changedFrom: asked }),
    )
    const unseen = await decide('approve', { version: 2 })
    expect([unseen.status, unseen.body.error.currentVersion]).toEqual([409, 4])
    await decide('refuse', { refusal: 'Not to Eve.' })
    // refused: the person has seen that
    expect(await change({ to: ['bob@friend.example'] })).toMatchObject({
      version: 4,
      body: 'second',
      files: [{ filename: 'a.txt' }],
    })
    await ask('POST', `/drafts/${id}/send`, {}, key)
    // what a person writes, the person has seen
    const own = await owner.ask('PATCH', `/drafts/${id}`, { json: { body: 'mine' }, headers })
    expect(own.body.changedFrom).toBeUndefined()
    expect(await change({ body: 'theirs' })).toMatchObject({ version: 6, body: 'mine', files: [{ filename: 'a.txt' }] })
    const sent = await decide('approve', { version: 7 })
    expect([sent.status, sent.body.status, sent.body.changedFrom]).toEqual([200, 'sent', undefined])
  })
})
