import { expect, it } from 'vitest'
import type { DomainTest } from '../../../core/ports/store/domain-tests.ts'
import type { Store } from '../../../core/ports/store/store.ts'
import { at, NOON, newId, newProjectId } from './records.ts'

/** The promises of a store about tests of sending domains. */
export function storeDomainTestsContract(fresh: () => Promise<Store>) {
  const projectId = newProjectId()
  const made = (fields: Partial<DomainTest> = {}): DomainTest => ({
    ...{ id: newId(), projectId, domainId: newId(), to: 'test+0@mx.example', isOurs: true, isMarketing: false },
    ...{ createdAt: NOON },
    ...fields,
  })
  const arrival = {
    ...{ at: 'now', spf: 'pass', dkim: 'pass', dmarc: 'pass', signedBy: ['a.example'], sender: '\'"\\ü{}' },
    ...{ remoteAddress: '::1', tls: true, names: [], leadsBack: false, size: 7 },
    ...{ listUnsubscribe: '', listUnsubscribePost: '' },
  }

  it('answers what it stored, to its project, and what arrived first', async () => {
    const { domainTests } = await fresh()
    const test = made()
    await domainTests.add(test)
    expect(await domainTests.find(projectId, test.id)).toEqual(test)
    expect(await domainTests.named(test.id)).toEqual(test)
    expect(await domainTests.find(newProjectId(), test.id)).toBeUndefined()
    const answers = await Promise.all([
      domainTests.arrived(test.id, arrival),
      domainTests.arrived(test.id, arrival),
      domainTests.arrived(newId(), arrival),
    ])
    expect(answers.filter(Boolean)).toHaveLength(1)
    expect(await domainTests.find(projectId, test.id)).toEqual({ ...test, arrival })
  })

  it('counts those of a domain since a moment, and forgets those before one', async () => {
    const { domainTests } = await fresh()
    const domainId = newId()
    for (const seconds of [0, 10, 20]) await domainTests.add(made({ domainId, createdAt: at(seconds) }))
    await domainTests.add(made({ createdAt: at(20) }))
    expect(await domainTests.countSince(projectId, domainId, at(10))).toBe(2)
    expect(await domainTests.countSince(newProjectId(), domainId, NOON)).toBe(0)
    expect(await domainTests.forget(at(20), 1)).toBe(1)
    expect(await domainTests.forget(at(20), 9)).toBe(1)
    expect(await domainTests.countSince(projectId, domainId, NOON)).toBe(1)
  })
}
