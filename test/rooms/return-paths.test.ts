import { randomUUID } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { inARow } from '../../core/bounces/soft-bounces.ts'
import { SignedAddresses } from '../../core/mail/links/signed-addresses.ts'
import { ReturnPaths } from '../../core/mail/links/ways-back.ts'
import { EngineValues } from '../../core/settings/engine-values.ts'
import { parse } from '../../core/values/parse.ts'

const settings = parse(EngineValues, { feedback: { returnPathHost: 'bounces.example.com' } })
const paths = new ReturnPaths({ secret: Buffer.from('a secret of sixteen characters') }, { settings })

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
    const others = new ReturnPaths({ secret: Buffer.from('another secret of characters') }, { settings })
    expect(others.read(path)).toBeUndefined()
    for (let at = 2; at < path.indexOf('@'); at++) {
      const changed = path.slice(0, at) + (path[at] === '0' ? '1' : '0') + path.slice(at + 1)
      expect(paths.read(changed)).toBeUndefined()
    }
    for (const junk of ['', '@', 'b+@x', 'b+zz@x', `${path.slice(0, 20)}@x`]) expect(paths.read(junk)).toBeUndefined()
  })
})

describe('a return path at a host that was found', () => {
  const found = (returnPathHost?: string | null) => {
    const made = new ReturnPaths(
      { secret: Buffer.from('a secret') },
      { settings: parse(EngineValues, { feedback: { returnPathHost } }) },
    )
    made.offer('mx.mail.acme.co.uk')
    return (from: string) => made.of(randomUUID(), from)?.split('@')[1]
  }

  it.each([
    ['hi@acme.co.uk', 'mx.mail.acme.co.uk'],
    ['hi@news.acme.co.uk', 'mx.mail.acme.co.uk'],
    ['hi@other.co.uk', undefined],
    ['hi@bücher.example', undefined],
    ['', undefined],
  ])('of %j is at %s: only the owner’s own domains stay aligned', (from, host) => {
    expect(found()(from)).toBe(host)
  })

  it('gives way to what the settings say', () => {
    expect(found('b.example.net')('hi@acme.co.uk')).toBe('b.example.net')
    expect(found('b.example.net')('hi@other.co.uk')).toBe('b.example.net')
    expect(found(null)('hi@acme.co.uk')).toBeUndefined()
  })
})

describe('an address to unsubscribe by', () => {
  const secret = Buffer.from('a secret of sixteen characters')
  const addresses = new SignedAddresses(secret, 'unsubscribe', 'unsubscribe address')
  const ids = ['00000000-0000-7000-8000-000000000000', 'ffffffff-ffff-7fff-bfff-ffffffffffff', randomUUID()]

  it('is none while no mail would arrive', () => {
    expect(addresses.of(ids[0]!)).toBeUndefined()
    addresses.receiveAt('mx.example.com')
  })

  it.each(ids)('of %s is read whatever its case and host, and fits into a local part', (id) => {
    const address = addresses.of(id) ?? ''
    expect(address).toMatch(/^unsubscribe\+[0-9a-v]{42}@mx\.example\.com$/)
    expect(address.indexOf('@')).toBeLessThanOrEqual(64)
    const read = [address, address.toUpperCase(), address.replace('mx.', 'elsewhere.')].map((each) =>
      addresses.read(each),
    )
    expect(read).toEqual([id, id, id])
  })

  it('is none when anything of it was changed, another secret made it, or it was made for bounces', () => {
    const address = addresses.of(ids[2]!) ?? ''
    const others = new SignedAddresses(Buffer.from('another secret of words'), 'unsubscribe', 'unsubscribe address')
    expect(others.read(address)).toBeUndefined()
    for (let at = 'unsubscribe+'.length; at < address.indexOf('@'); at++) {
      const changed = address.slice(0, at) + (address[at] === '0' ? '1' : '0') + address.slice(at + 1)
      expect([addresses.read(changed), addresses.isOne(changed)]).toEqual([undefined, true])
    }
    const bounce = new ReturnPaths({ secret }, { settings }).of(ids[2]!) ?? ''
    const retold = `unsubscribe+${BigInt(`0x${bounce.slice(2, 54)}`)
      .toString(32)
      .padStart(42, '0')}@x.example`
    for (const junk of [retold, bounce, 'unsubscribe@x.example', `unsubscribe+${'v'.repeat(42)}@x`, '@', '']) {
      expect(addresses.read(junk)).toBeUndefined()
    }
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
