import { beforeAll, describe, expect, it } from 'vitest'
import { type AccountWorld, accountWorld, type Browser, newAddress, PASSWORD } from '../support/accounts.ts'
import { QUICK } from '../support/matrix.ts'

const ACCOUNTS = { passwordCost: 10, signup: true, projects: true, from: 'accounts@example.com', project: 'Test' }
const TEMPLATE = { name: 'One', subject: 'Hi', body: '<p>Hi</p>', type: 'TRANSACTIONAL' } as const

describe(`who has what open on ${QUICK.name}`, () => {
  let world: AccountWorld
  let project: string
  let ada: Browser
  let bob: Browser
  let template: string
  const tab = (letter: string) => letter.repeat(8)
  const note = (person: Browser, of: string, more: object = {}) =>
    person.ask('PUT', '/presence', {
      json: { kind: 'templates', id: template, tab: tab(of), ...more },
      headers: { 'x-project-id': project },
    })
  const seenBy = async (person: Browser, of: string) => {
    const { status, body } = await note(person, of)
    expect(status).toBe(200)
    return body.present.map(({ name, own }: { name: string; own: boolean }) => [name, own])
  }

  beforeAll(async () => {
    world = await accountWorld(QUICK, { accounts: ACCOUNTS })
    ada = await world.signup({ name: 'Ada' })
    const { email } = await world.engine.accounts.make({ email: newAddress(), password: PASSWORD })
    bob = world.browserOf(await world.open('POST', '/auth/login', { email, password: PASSWORD }))
    const made = await ada.ask('POST', '/users/@me/projects', { json: { name: 'Shared' } })
    expect(made.status, made.text).toBe(201)
    project = made.body.id
    const headers = { 'x-project-id': project }
    const invited = await ada.ask('POST', `/projects/${project}/members`, {
      json: { email: bob.email, role: 'MEMBER' },
    })
    expect(invited.status, invited.text).toBe(201)
    const accepted = await bob.ask('POST', `/users/@me/invitations/${invited.body.id}/accept`)
    expect(accepted.status, accepted.text).toBeLessThan(300)
    template = (await ada.ask('POST', '/templates', { json: TEMPLATE, headers })).body.id
  })

  it('is answered to each of those who have, until they leave or fall silent', async () => {
    expect(await seenBy(ada, 'a')).toEqual([])
    expect(await seenBy(bob, 'b')).toEqual([['Ada', false]])
    expect(await seenBy(ada, 'a')).toEqual([[bob.email, false]])
    // a second and a third tab of the same person are one entry
    expect(await seenBy(ada, 'c')).toEqual([
      ['Ada', true],
      [bob.email, false],
    ])
    await note(ada, 'd')
    expect(await seenBy(ada, 'a')).toEqual([
      [bob.email, false],
      ['Ada', true],
    ])
    expect(await seenBy(bob, 'b')).toEqual([['Ada', false]])
    for (const each of ['a', 'c', 'd']) expect((await note(ada, each, { left: true })).body).toEqual({ present: [] })
    expect(await seenBy(bob, 'b')).toEqual([])
    world.pass(39)
    expect(await seenBy(ada, 'a')).toEqual([[bob.email, false]])
    world.pass(2)
    expect(await seenBy(ada, 'a')).toEqual([])
  })

  it('is known of things of the project alone, and leaves no trace in the audit log', async () => {
    const stranger = await world.signup()
    expect((await note(stranger, 'x')).status).toBe(404)
    expect((await note(ada, 'x', { id: project })).status).toBe(404)
    expect((await note(ada, 'x', { kind: 'projects', id: project })).status).toBe(200)
    expect((await note(ada, 'x', { kind: 'threads', id: project })).status).toBe(404)
    const wrong = await note(ada, 'x', { kind: 'contacts' })
    expect(wrong.status).toBe(422)
    expect(wrong.body.error.errors[0].field).toBe('kind')
    expect((await note(ada, 'x', { id: '7' })).body.message).toBe('id: must be a UUID')
    for (const [name, status] of [
      ['a'.repeat(7), 422],
      ['a'.repeat(36), 200],
      ['a'.repeat(37), 422],
      ['with a space', 422],
    ] as const)
      expect((await note(ada, 'x', { tab: name })).status, name).toBe(status)
    const log = await ada.ask('GET', '/audit?action=notePresence', { headers: { 'x-project-id': project } })
    expect(log.body.data).toEqual([])
  })

  it('is answered to a key, which is not noted', async () => {
    world.pass(41)
    await note(ada, 'a')
    const key = await ada.ask('POST', `/projects/${project}/keys`, {
      json: { name: 'x', kind: 'secret', scopes: ['read'] },
    })
    expect(key.status, key.text).toBe(201)
    const json = { kind: 'templates', id: template, tab: tab('k') }
    const asked = await world.ask('PUT', '/presence', { key: key.body.key, json })
    expect(asked.body).toEqual({
      present: [{ userId: ada.id, name: 'Ada', own: false, since: expect.any(String) }],
    })
    expect(await seenBy(ada, 'a')).toEqual([])
  })
})
