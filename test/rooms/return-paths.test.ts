import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { inARow } from '../../core/feedback/soft-bounces.ts'
import { ReturnPaths } from '../../core/feedback/verp.ts'
import { EngineValues } from '../../core/settings.ts'
import { parse } from '../../core/values/parse.ts'

const settings = parse(EngineValues, { feedback: { returnPathHost: 'bounces.example.com' } })
const paths = new ReturnPaths({ secret: Buffer.from('a secret of sixteen characters') }, settings)

describe('a return path', () => {
  it('names its mail through servers that change its case, and fits into a local part', () => {
    const id = randomUUID()
    const path = paths.of(id) ?? ''
    expect(path.indexOf('@')).toBeLessThanOrEqual(64)
    expect(
      [path, path.toUpperCase(), path.replace(/@.*/, '@elsewhere.example')].map((each) => paths.read(each)),
    ).toEqual([id, id, id])
  })

  it('is none when anything of it was changed, or another secret made it', () => {
    const path = paths.of(randomUUID()) ?? ''
    const others = new ReturnPaths({ secret: Buffer.from('another secret of characters') }, settings)
    expect(others.read(path)).toBeUndefined()
    for (let at = 2; at < path.indexOf('@'); at++) {
      const changed = path.slice(0, at) + (path[at] === '0' ? '1' : '0') + path.slice(at + 1)
      expect(paths.read(changed)).toBeUndefined()
    }
    for (const junk of ['', '@', 'b+@x', 'b+zz@x', `${path.slice(0, 20)}@x`]) expect(paths.read(junk)).toBeUndefined()
  })
})

describe('mails in a row that failed for the moment', () => {
  const soft = (id: string) => ({ id, status: 'FAILED' as const, softBouncedAt: new Date() })
  const arrived = (id: string) => ({ id, status: 'DELIVERED' as const, deliveredAt: new Date() })

  // a relay tells of a mail days later: those it has taken meanwhile are no proof that mail arrives again
  it('are counted up to the mail that failed, whatever was handed over since', () => {
    expect(inARow([arrived('5'), soft('4'), soft('3'), arrived('2'), soft('1')], '4')).toBe(2)
  })

  it('are passed over where nothing is known, and end where somebody opened one', () => {
    expect(inARow([soft('4'), { id: '3', status: 'SKIPPED' }, soft('2')], '4')).toBe(2)
    expect(inARow([soft('4'), { id: '3', status: 'OPENED', openedAt: new Date() }, soft('2')], '4')).toBe(1)
    expect(inARow([{ id: '5', status: 'OPENED', openedAt: new Date() }, soft('4'), soft('3')], '4')).toBe(0)
  })
})
