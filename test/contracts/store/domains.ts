import { expect, it } from 'vitest'
import type { SenderDomain } from '../../../core/ports/store/domains.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import { at, newProjectId, project, senderDomain } from './records.ts'

/** The promises of a store about sending domains. */
export function storeDomainsContract(fresh: () => Promise<Store>) {
  it('answers what it stored and changed, and nothing once it is removed', async () => {
    const { domains } = await fresh()
    const projectId = newProjectId()
    const made = senderDomain(projectId, 'münchen.example')
    expect(await domains.insert(made)).toBe('inserted')
    expect(await domains.find(projectId, made.id)).toEqual(made)
    const changed: SenderDomain = {
      ...made,
      status: 'VERIFIED',
      keys: [{ selector: 's2', publicData: 'B', state: 'RETIRED', createdAt: 'x', retiredAt: 'y' }],
      findings: { 'TXT a': { state: 'wrong', advice: 'Mend "it".' } },
      link: { host: 'links.münchen.example', inUse: true, failures: 2 },
      sts: { mode: 'enforce', mx: ['*.example.com'], maxAge: 86_400 },
      ...{ failures: 2, provenAt: at(1), lastCheckedAt: at(2), dueAt: at(4), updatedAt: at(5) },
    }
    expect(await domains.update(changed)).toBe(true)
    expect(await domains.find(projectId, made.id)).toEqual(changed)
    const { provenAt, link, ...less } = changed
    await domains.update(less)
    expect(await domains.find(projectId, made.id)).toEqual(less)
    expect(await domains.remove(projectId, made.id)).toBe(true)
    expect(await domains.remove(projectId, made.id)).toBe(false)
    expect(await domains.update(changed)).toBe(false)
    expect(await domains.find(projectId, made.id)).toBeUndefined()
  })

  it('keeps a domain for one project, also of many that come at the same time', async () => {
    const { domains } = await fresh()
    const claims = Array.from({ length: 10 }, () => senderDomain(newProjectId(), 'acme.example'))
    const answers = await Promise.all(claims.map((claim) => domains.insert(claim)))
    expect(answers.filter((answer) => answer === 'inserted')).toHaveLength(1)
    expect(await domains.named(['acme.example', 'none.example'])).toEqual([claims[answers.indexOf('inserted')]])
    expect(await domains.named([])).toEqual([])
  })

  it('shows a project its own domains only, by name', async () => {
    const { domains } = await fresh()
    const [mine, theirs] = [newProjectId(), newProjectId()]
    const [b, a, other] = [
      senderDomain(mine, 'b.example'),
      senderDomain(mine, 'a.example'),
      senderDomain(theirs, 'c.example'),
    ]
    for (const each of [b, a, other]) await domains.insert(each)
    expect(await domains.all(mine)).toEqual([a, b])
    expect([await domains.count(mine), await domains.count(newProjectId())]).toEqual([2, 0])
    expect(await domains.find(mine, other.id)).toBeUndefined()
    expect(await domains.lock(mine, other.id)).toBeUndefined()
    expect(await domains.remove(mine, other.id)).toBe(false)
    expect(await domains.update({ ...other, projectId: mine, failures: 9 })).toBe(false)
    expect(await domains.find(theirs, other.id)).toEqual(other)
    expect(await domains.newest()).toEqual(other)
  })

  it('gives each domain that is due to one of those that ask, longest due first', async () => {
    const { domains } = await fresh()
    const projectId = newProjectId()
    const made = [3, 1, 2, 60].map((due) => senderDomain(projectId, `d${due}.example`, { dueAt: at(due) }))
    for (const each of made) await domains.insert(each)
    const claim = () => domains.claimDue(at(10), at(310), 1, [])
    const claimed = (await Promise.all([claim(), claim(), claim(), claim()])).flat()
    expect(claimed.map((each) => each.domain).sort()).toEqual(['d1.example', 'd2.example', 'd3.example'])
    expect(claimed.every(({ dueAt }) => dueAt.getTime() === at(310).getTime())).toBe(true)
    expect((await domains.claimDue(at(310), at(610), 2, [])).map((each) => each.domain)).toContain('d60.example')
  })

  it('gives nothing of projects that have enough, and the rest of them later', async () => {
    const { domains } = await fresh()
    const [busy, idle] = [newProjectId(), newProjectId()]
    const made = [busy, busy, idle].map((id, i) => senderDomain(id, `d${i}.example`, { dueAt: at(i) }))
    for (const each of made) await domains.insert(each)
    const names = async (except: readonly (typeof busy)[]) =>
      (await domains.claimDue(at(10), at(310), 2, except)).map((each) => each.domain)
    expect(await names([busy, newProjectId()])).toEqual(['d2.example'])
    expect(await names([busy])).toEqual([])
    expect((await names([])).sort()).toEqual(['d0.example', 'd1.example'])
  })

  it('tells with a project which domains it has proven', async () => {
    const { domains, projects } = await fresh()
    const mine = project()
    await projects.save(mine)
    expect(await projects.find(mine.id)).toEqual(mine)
    const verified = ['a.example', 'b.example'].map((name) => senderDomain(mine.id, name, { status: 'VERIFIED' }))
    const others = [senderDomain(mine.id, 'c.example'), senderDomain(mine.id, 'd.example', { status: 'FAILED' })]
    for (const each of [...verified, ...others]) await domains.insert(each)
    await domains.insert(senderDomain(newProjectId(), 'e.example', { status: 'VERIFIED' }))
    const known = { ...mine, verifiedDomains: ['a.example', 'b.example'] }
    const sorted = (found: typeof known | undefined) => ({
      ...found,
      verifiedDomains: found?.verifiedDomains?.toSorted(),
    })
    expect(sorted((await projects.find(mine.id)) as typeof known)).toEqual(known)
    expect(sorted((await projects.list())[0] as typeof known)).toEqual(known)
    // what is derived is not stored
    await projects.save({ ...known, name: 'Other', verifiedDomains: ['forged.example'] })
    expect(sorted((await projects.find(mine.id)) as typeof known)).toEqual({ ...known, name: 'Other' })
  })
}
