import { expect, it } from 'vitest'
import type { OpenTab } from '../../../core/ports/store/presence.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import type { UserSession } from '../../../core/ports/store/user-sessions.ts'
import type { UserToken } from '../../../core/ports/store/user-tokens.ts'
import type { User } from '../../../core/ports/store/users.ts'
import type { MemberRole } from '../../../core/values/member-roles.ts'
import { at, NOON, newId, newProjectId, project, senderDomain } from './records.ts'

/** The promises of a store about users, their projects, their tokens and attempts. */
export function storeAccountsContract(fresh: () => Promise<Store>) {
  const user = (fields: Partial<User> = {}): User => {
    const id = newId()
    return { id, email: `${id}@example.com`, sessionVersion: 1, createdAt: NOON, updatedAt: NOON, ...fields }
  }
  const token = (fields: Partial<UserToken> = {}): UserToken => ({
    ...{ id: newId(), purpose: 'reset', userId: newId(), email: 'a@b.example', expiresAt: at(60), createdAt: NOON },
    ...fields,
  })

  it('gives a user back as it was stored and as it was changed, by id, address and identity', async () => {
    const { users, transaction } = await fresh()
    expect(await users.any()).toBe(false)
    expect(await users.count()).toBe(0)
    const ada = user({ name: 'Adä 🙂', language: 'de', passwordHash: 'scrypt$"', verifiedAt: at(1) })
    expect(await users.insert(ada)).toBe(true)
    expect(await users.any()).toBe(true)
    expect(await users.count()).toBe(1)
    expect(await users.find(ada.id)).toEqual(ada)
    expect(await users.byEmail(ada.email)).toEqual(ada)
    expect(await users.addIdentity({ provider: 'oidc', subject: 'x', userId: ada.id, createdAt: NOON })).toBe(true)
    expect(await users.addIdentity({ provider: 'oidc', subject: 'x', userId: newId(), createdAt: NOON })).toBe(false)
    expect(await users.byIdentity('oidc', 'x')).toEqual(ada)
    expect(await users.byIdentity('github', 'x')).toBeUndefined()
    const { name: _name, ...bare } = ada
    const changed = { ...bare, totpSecret: 's', totpSince: at(2), totpStep: 58_000_000, sessionVersion: 2 }
    await transaction(async (tx) => {
      expect(await tx.users.lock(ada.id)).toEqual(ada)
      expect(await tx.users.update(changed)).toBe(true)
      expect(await tx.users.update(user())).toBe(false)
    })
    expect(await users.find(ada.id)).toEqual(changed)
  })

  it('has one user of an address, whoever comes at the same time', async () => {
    const { users } = await fresh()
    const added = await Promise.all(Array.from({ length: 10 }, () => users.insert(user({ email: 'one@example.com' }))))
    expect(added.filter(Boolean)).toHaveLength(1)
  })

  it('uses a recovery code up once, and replaces all', async () => {
    const { users } = await fresh()
    const [ada, bob] = [newId(), newId()]
    await users.setRecoveryCodes(ada, ['a', 'b'])
    await users.setRecoveryCodes(bob, ['a'])
    expect([await users.recoveryCodes(ada), await users.recoveryCodes(bob)]).toEqual([2, 1])
    const used = await Promise.all([1, 2, 3].map(() => users.useRecoveryCode(ada, 'a')))
    expect(used.filter(Boolean)).toHaveLength(1)
    await users.setRecoveryCodes(ada, ['c'])
    expect(await users.useRecoveryCode(ada, 'b')).toBe(false)
    expect(await users.useRecoveryCode(ada, 'c')).toBe(true)
    expect(await users.useRecoveryCode(bob, 'a')).toBe(true)
  })

  it('knows the members of a project and the projects of a user, with their proven domains', async () => {
    const { users, members, projects, domains } = await fresh()
    const [acme, other] = [project({ createdAt: at(2) }), project({ createdAt: at(1) })]
    for (const each of [acme, other]) await projects.save(each)
    await domains.insert(senderDomain(acme.id, 'proven.example', { status: 'VERIFIED' }))
    const [ada, bob] = [user({ name: 'Ada' }), user()]
    for (const each of [ada, bob]) await users.insert(each)
    const add = (userId: string, role: MemberRole, seconds: number, projectId = acme.id) =>
      members.add({ projectId, userId, role, createdAt: at(seconds) })
    expect(await add(ada.id, 'OWNER', 1)).toBe(true)
    expect(await add(ada.id, 'MEMBER', 2)).toBe(false)
    await add(bob.id, 'MEMBER', 3)
    await add(ada.id, 'ADMIN', 4, other.id)
    expect(await members.list(acme.id)).toMatchObject([
      { role: 'OWNER', createdAt: at(1), user: { id: ada.id, email: ada.email, name: 'Ada' } },
      { role: 'MEMBER', user: { id: bob.id, email: bob.email } },
    ])
    const known = { ...acme, verifiedDomains: ['proven.example'] }
    expect(await members.ofUser(ada.id)).toEqual([
      { project: known, role: 'OWNER' },
      { project: other, role: 'ADMIN' },
    ])
    expect(await members.find(acme.id, ada.id)).toEqual({ project: known, role: 'OWNER' })
    expect(await members.find(other.id, bob.id)).toBeUndefined()
    await users.insert(user({ name: 'Eve', trusted: true }))
    expect((await users.trusted()).map(({ name }) => name)).toEqual(['Eve'])
    const [newest, before] = await users.page({ limit: 1 })
    expect([newest?.name, before?.id]).toEqual(['Eve', bob.id])
    expect((await users.page({ limit: 5, after: { value: '', id: bob.id } })).map(({ id }) => id)).toEqual([ada.id])
    expect([await users.count('eV'), (await users.page({ limit: 5 }, 'eV')).length, await users.count('%')]).toEqual([
      1, 1, 0,
    ])
    // acme is Ada's, and Bob is only a member of it
    expect([await members.othersOwn(ada.id), await members.othersOwn(bob.id)]).toEqual([false, true])
    // of a project with several OWNERs each has a part; one without an OWNER is not of others
    expect([await members.ownedByOthers(ada.id), await members.ownedByOthers(bob.id)]).toEqual([[], [known]])
    await add(bob.id, 'OWNER', 5, other.id)
    expect(await members.ownedByOthers(ada.id)).toEqual([other])
    expect(await members.ownedByOthers(newId())).toEqual([other, known])
  })

  it('keeps one OWNER, also of two who leave or step down at the same time', async () => {
    const { members } = await fresh()
    for (let round = 0; round < 5; round++) {
      const projectId = newProjectId()
      const [ada, bob] = [newId(), newId()]
      for (const userId of [ada, bob]) await members.add({ projectId, userId, role: 'OWNER', createdAt: NOON })
      const answers = await Promise.all([members.remove(projectId, ada), members.setRole(projectId, bob, 'ADMIN')])
      expect([...answers].sort()).toEqual(['changed', 'last-owner'])
    }
    const projectId = newProjectId()
    const only = newId()
    await members.add({ projectId, userId: only, role: 'OWNER', createdAt: NOON })
    expect(await members.setRole(projectId, only, 'OWNER')).toBe('changed')
    expect(await members.remove(projectId, newId())).toBe('missing')
    expect(await members.setRole(projectId, newId(), 'ADMIN')).toBe('missing')
    expect(await members.remove(projectId, only)).toBe('last-owner')
  })

  it('lets a token be taken once, for its purpose, until it expires', async () => {
    const { userTokens } = await fresh()
    const reset = token()
    expect(await userTokens.add(reset)).toBe(true)
    expect(await userTokens.add(token({ id: reset.id }))).toBe(false)
    expect(await userTokens.find(reset.id, 'reset', NOON)).toEqual(reset)
    expect(await userTokens.find(reset.id, 'verify', NOON)).toBeUndefined()
    expect(await userTokens.take(reset.id, 'verify', NOON)).toBeUndefined()
    expect(await userTokens.take(reset.id, 'reset', at(60))).toBeUndefined()
    const taken = await Promise.all([1, 2, 3].map(() => userTokens.take(reset.id, 'reset', at(59))))
    expect(taken.filter((each) => each !== undefined)).toEqual([reset])
  })

  it('keeps the sessions of a user until they end or expire, last used first', async () => {
    const { userSessions } = await fresh()
    const [userId, other] = [newId(), newId()]
    const session = (lastUsedAt: Date, more: Partial<UserSession> = {}): UserSession => {
      return { id: newId(), userId, lastUsedAt, expiresAt: at(60), createdAt: NOON, ...more }
    }
    const [first, second] = [session(at(1)), session(at(2), { agent: 'curl/8', address: '::1' })]
    const [late, theirs] = [session(at(3), { expiresAt: at(30) }), session(at(4), { userId: other })]
    for (const each of [first, second, late, theirs]) await userSessions.add(each)
    expect(await userSessions.ofUser(userId, at(30))).toEqual([second, first])
    const use = { agent: 'node', address: '::2', lastUsedAt: at(5) }
    await userSessions.note(first.id, use)
    expect(await userSessions.find(first.id)).toEqual({ ...first, ...use })
    expect(await userSessions.ofUser(userId, NOON)).toEqual([{ ...first, ...use }, late, second])
    expect(await userSessions.remove(other, first.id)).toBe(false)
    expect(await userSessions.remove(userId, first.id)).toBe(true)
    expect(await userSessions.forget(at(30), 9)).toBe(1)
    await userSessions.removeOf(userId)
    expect(await userSessions.ofUser(userId, NOON)).toEqual([])
    expect(await userSessions.ofUser(other, NOON)).toEqual([theirs])
  })

  it('keeps which tab has what open, as long as the tab is heard of and within the bounds', async () => {
    const { presence } = await fresh()
    const [projectId, thingId, userId, other] = [newProjectId(), newId(), newId(), 'host:42']
    const [since, bounds] = [at(0), { ofProject: 4, ofUser: 3 }]
    const tab = (id: string, more: Partial<OpenTab> = {}): OpenTab => ({
      ...{ id, projectId, kind: 'templates', thingId, userId, name: 'Adä 🙂', openedAt: at(1), seenAt: at(1) },
      ...more,
    })
    const thing = { projectId, kind: 'templates', thingId }
    const [first, second, theirs] = [tab('a'), tab('b', { openedAt: at(2) }), tab('c', { userId: other })]
    for (const each of [theirs, second, first]) await presence.note(each, since, bounds)
    await presence.note({ ...first, name: 'Ada', openedAt: at(5), seenAt: at(5) }, since, bounds)
    const seen = { ...first, name: 'Ada', seenAt: at(5) }
    expect(await presence.of(thing, since, 9)).toEqual([seen, theirs, second])
    expect(await presence.of(thing, at(1), 9)).toEqual([seen])
    expect(await presence.of({ ...thing, kind: 'forms' }, since, 9)).toEqual([])
    expect(await presence.of({ ...thing, projectId: newProjectId() }, since, 9)).toEqual([])

    // another thing in the same tab; a tab too many of a person, and of a project
    const moved = tab('b', { kind: 'forms', openedAt: at(6), seenAt: at(6) })
    await presence.note(moved, since, bounds)
    expect(await presence.of(thing, since, 9)).toEqual([seen, theirs])
    await presence.note(tab('d'), since, bounds)
    await presence.note(tab('e'), since, bounds)
    expect((await presence.of(thing, since, 9)).map(({ id }) => id)).toEqual(['a', 'c', 'd'])
    await presence.note(tab('f', { userId: other }), since, bounds)
    expect((await presence.of(thing, since, 9)).map(({ id }) => id)).toEqual(['a', 'c', 'd'])
    expect((await presence.of(thing, since, 2)).map(({ id }) => id)).toEqual(['a', 'c'])

    // left, but not what is open there now
    await presence.leave(tab('b'))
    expect(await presence.of({ ...thing, kind: 'forms' }, since, 9)).toEqual([moved])
    await presence.leave(moved)
    await presence.leave(theirs)
    expect((await presence.of(thing, since, 9)).map(({ id }) => id)).toEqual(['a', 'd'])
    // silent for long: gone with the next of the same person, or when swept
    await presence.note(tab('g', { openedAt: at(9), seenAt: at(9) }), at(4), bounds)
    expect((await presence.of(thing, since, 9)).map(({ id }) => id)).toEqual(['a', 'g'])
    expect(await presence.forget(at(5), 9)).toBe(1)
    expect(await presence.forget(at(9), 9)).toBe(1)
    expect(await presence.of(thing, since, 9)).toEqual([])
  })

  it("removes a user's tokens of a purpose, a project's invitation, and what has expired", async () => {
    const { userTokens } = await fresh()
    const [userId, projectId] = [newId(), newProjectId()]
    const [verify, ...resets] = [token({ userId, purpose: 'verify' }), token({ userId }), token({ userId }), token()]
    const invite = { id: newId(), purpose: 'invite', email: 'b@b.example', projectId, role: 'ADMIN' } as const
    const invited: UserToken = { ...invite, expiresAt: at(70), createdAt: NOON }
    for (const each of [verify, ...resets, invited]) await userTokens.add(each)
    await userTokens.removeOf(userId, 'reset')
    const left = await Promise.all([verify, ...resets].map(({ id, purpose }) => userTokens.find(id, purpose, NOON)))
    expect(left.map((each) => each !== undefined)).toEqual([true, false, false, true])
    expect(await userTokens.invites(projectId, NOON)).toEqual([invited])
    expect(await userTokens.invites(projectId, at(70))).toEqual([])
    expect(await userTokens.removeInvite(newProjectId(), invited.id)).toBe(false)
    expect(await userTokens.removeInvite(projectId, invited.id)).toBe(true)
    expect(await userTokens.forget(at(60), 1)).toBe(1)
    expect(await userTokens.forget(at(60), 9)).toBe(1)
    expect(await userTokens.forget(at(60), 9)).toBe(0)
  })

  it('lists the invitations of an address with the names of their projects, newest first, until they expire', async () => {
    const { userTokens, projects } = await fresh()
    const [acme, other] = [project({ name: 'Acme' }), project({ name: 'Other' })]
    for (const each of [acme, other]) await projects.save(each)
    const email = 'cyd@b.example'
    const invite = (fields: object): UserToken => ({
      ...{ id: newId(), purpose: 'invite', email, role: 'ADMIN', expiresAt: at(70), createdAt: NOON },
      ...fields,
    })
    const first = invite({ projectId: acme.id, inviter: 'ada@b.example' })
    const second = invite({ projectId: other.id, createdAt: at(1), expiresAt: at(60) })
    const elsewhere = invite({ projectId: acme.id, email: 'dan@b.example' })
    const otherPurpose = invite({ projectId: acme.id, purpose: 'verify' })
    for (const each of [first, second, elsewhere, otherPurpose]) await userTokens.add(each)
    const [shownFirst, shownSecond] = [
      { ...first, project: { id: acme.id, name: 'Acme' } },
      { ...second, project: { id: other.id, name: 'Other' } },
    ]
    expect(await userTokens.invitesOf(email, NOON, 9)).toEqual([shownSecond, shownFirst])
    expect(await userTokens.invitesOf(email, NOON, 1)).toEqual([shownSecond])
    expect(await userTokens.invitesOf(email, at(60), 9)).toEqual([shownFirst])
    expect(await userTokens.invitesOf('nobody@b.example', NOON, 9)).toEqual([])
  })

  it('counts every attempt of a period, however many come at once, and begins anew after it', async () => {
    const { attempts } = await fresh()
    const counts = await Promise.all(Array.from({ length: 8 }, () => attempts.count('k', NOON, at(300))))
    expect(counts.map(({ count }) => count).sort()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
    expect(await attempts.count('other', NOON, at(300))).toEqual({ count: 1, until: at(300) })
    await attempts.forgive('k', false)
    expect(await attempts.count('k', at(299), at(599))).toEqual({ count: 8, until: at(300) })
    await attempts.forgive('other', true)
    expect(await attempts.count('other', at(1), at(301))).toEqual({ count: 1, until: at(301) })
    expect(await attempts.count('k', at(300), at(600))).toEqual({ count: 1, until: at(600) })
    expect(await attempts.forget(at(301), 9)).toBe(1)
    expect(await attempts.count('k', at(302), at(602))).toMatchObject({ count: 2 })
  })

  it('grants no more than a period allows, however many ask at once', async () => {
    const { attempts } = await fresh()
    const granted = await Promise.all(Array.from({ length: 8 }, () => attempts.take('share', NOON, at(300), 3, 10)))
    expect(granted.sort((a, b) => a - b)).toEqual([0, 0, 0, 0, 1, 3, 3, 3])
    expect(await attempts.counted(['share', 'none'], NOON)).toEqual(new Map([['share', 10]]))
    await attempts.forgive('share', false)
    expect(await attempts.take('share', at(299), at(599), 5, 10)).toBe(1)
    // less is allowed now
    expect(await attempts.take('share', at(299), at(599), 5, 4)).toBe(0)
    expect(await attempts.counted(['share'], at(300))).toEqual(new Map())
    expect(await attempts.take('share', at(300), at(600), 5, 4)).toBe(4)
  })
}
