import { createHash } from 'node:crypto'
import { beforeAll, describe, expect, it } from 'vitest'
import { EngineError } from '../../core/errors.ts'
import { expectEnvelope, SECRET, type TestApp, testApp } from '../support/app.ts'
import { LINK_SETTINGS } from '../support/contact-links.ts'
import { STRICT } from '../support/matrix.ts'

// On PostgreSQL, the stricter: what is stored has its contract on both.
const store = STRICT

const MINUTE = 60_000
const FORM = { name: 'Footer', texts: { title: 'News' }, consent: 'Acme may mail me.', origins: ['https://x.example'] }

describe('forms that programs attack', () => {
  let test: TestApp
  let time = Date.parse('2026-05-01T12:00:00Z')
  let count = 0

  beforeAll(async () => {
    const projects = [{ name: 'Acme', secretKey: SECRET, trustedDomains: ['example.com'], from: 'news@example.com' }]
    test = await testApp(
      store,
      { trustProxy: true },
      { ...LINK_SETTINGS, projects, clock: { now: () => new Date(time) } },
    )
  })

  /** A form in a period of its own. */
  const make = async () => {
    time += 11 * MINUTE
    return (await test.ask('POST', '/forms', { json: FORM })).body.id as string
  }
  /** From a client in a network of its own, unless it is given. */
  const send = (id: string, fields: object = {}, address = `10.${count >> 8}.${count & 255}.1`) =>
    test.ask('POST', `/f/${id}`, {
      key: null,
      json: { email: `p${++count}@example.org`, ...fields },
      headers: { 'x-forwarded-for': address },
    })
  /** The same by the room, since so many requests would take too long. */
  const knock = async (id: string) => {
    const { forms } = test.engine.subscriptions
    const shown = (await forms.look(id))!
    return async () => {
      const address = `10.${count >> 8}.${count & 255}.1`
      try {
        await forms.submit(shown, { email: `p${++count}@example.org` }, { address })
        return { status: 200 }
      } catch (error) {
        return { status: EngineError.is(error) && error.code === 'RATE_LIMIT_EXCEEDED' ? 429 : 500 }
      }
    }
  }
  const challengeOf = async (id: string) => (await test.ask('GET', `/f/${id}/challenge`, { key: null })).body
  const solutionOf = (challenge: { salt: string; challenge: string; maxnumber: number }) => {
    let number = 0
    while (hash(`${challenge.salt}${number}`) !== challenge.challenge) number++
    expect(number).toBeLessThanOrEqual(challenge.maxnumber)
    return { ...challenge, number }
  }
  const encoded = (solution: object) => Buffer.from(JSON.stringify(solution)).toString('base64')
  const formOf = async (id: string) => (await test.ask('GET', `/forms/${id}`)).body
  const mails = async () => (await test.ask('GET', '/emails?limit=1')).body.total as number
  /** Sends so often, at once as far as the machine does that; answers how often which status came. */
  const flood = async (times: number, one: () => Promise<{ readonly status: number }>) => {
    const statuses: Record<number, number> = {}
    for (let left = times; left > 0; left -= 250) {
      const answers = await Promise.all(Array.from({ length: Math.min(250, left) }, one))
      for (const { status } of answers) statuses[status] = (statuses[status] ?? 0) + 1
    }
    return statuses
  }

  it('take 5,000 submissions a minute, and send no more confirmations than the limit says', async () => {
    const id = await make()
    const before = await mails()
    expect(await flood(5000, await knock(id))).toEqual({ 200: 100, 429: 4900 })
    expect((await mails()) - before).toBe(100)
    expect(await formOf(id)).toMatchObject({ submitted: 100, attackedAt: new Date(time).toISOString() })
    const warnings = test.lines.filter(({ message, fields }) => message === 'a form is attacked' && fields.form === id)
    expect(warnings).toHaveLength(1)
    // people with scripts are not held up by programs without
    const altcha = encoded(solutionOf(await challengeOf(id)))
    expect((await send(id, { altcha })).status).toBe(200)
    time += 10 * MINUTE
    expect((await send(id)).status).toBe(200)
  })

  it('mail one address once, however many send it from wherever', async () => {
    const id = await make()
    const before = await mails()
    const email = 'victim@example.org'
    const notes = () => ({ email: `victim+${++count}@example.org` })
    await flood(20, () => send(id, { email }))
    expect((await mails()) - before).toBe(1)
    expect(await flood(20, () => send(id, notes()))).toEqual({ 200: 20 })
    expect((await mails()) - before).toBe(1)
  })

  it('take 20 of an address and 60 of a network within ten minutes', async () => {
    const id = await make()
    expect(await flood(25, () => send(id, {}, '192.0.2.1'))).toEqual({ 200: 20, 429: 5 })
    const hosts = ['192.0.2.2', '::ffff:192.0.2.3', '192.0.2.4']
    let i = 0
    expect(await flood(50, () => send(id, {}, hosts[i++ % 3]))).toEqual({ 200: 40, 429: 10 })
    const other = await make()
    expect(await flood(25, () => send(other, {}, `2001:db8:1:1::${++i}`))).toEqual({ 200: 20, 429: 5 })
    expect(await flood(50, () => send(other, {}, `2001:db8:1:${++i}::1`))).toEqual({ 200: 40, 429: 10 })
    const late = await send(other, {}, '2001:db8:1:9::1')
    expectEnvelope(late, 429, 'RATE_LIMIT_EXCEEDED')
    expect(Number(late.headers.get('retry-after'))).toBe(600)
    expect((await formOf(other)).attackedAt).toBeUndefined()
    const page = await test.ask('POST', `/f/${other}`, {
      key: null,
      raw: 'email=a%40example.org',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-forwarded-for': '2001:db8:1:8::1' },
    })
    expect([page.status, page.text.includes('<html')]).toEqual([429, true])
  })

  it('count a solution once, and only one that was made for it and is not too old', async () => {
    const [id, other] = [await make(), await make()]
    await flood(100, await knock(id))
    const solved = solutionOf(await challengeOf(id))
    expect(solved.salt).toContain(`form=${id}`)
    const wrong = [
      { ...solved, number: solved.number + 1 },
      { ...solved, signature: 'f'.repeat(64) },
      { ...solved, salt: solved.salt.replace('expires=1', 'expires=9') },
      { ...solved, algorithm: 'SHA-1' },
      solutionOf(await challengeOf(other)),
      [],
    ]
    for (const solution of wrong) expect((await send(id, { altcha: encoded(solution) })).status).toBe(429)
    for (const altcha of ['{', 'x'.repeat(2000), 5]) expect((await send(id, { altcha })).status).toBe(429)
    const late = solutionOf(await challengeOf(id))
    expect((await send(id, { altcha: encoded(solved) })).status).toBe(200)
    expect((await send(id, { altcha: encoded(solved) })).status).toBe(429)
    time += 30 * MINUTE
    await flood(100, await knock(id))
    expect((await send(id, { altcha: encoded(late) })).status).toBe(429)
  })

  it('refuse a solution that another process has taken', async () => {
    const id = await make()
    const altcha = encoded(solutionOf(await challengeOf(id)))
    expect((await send(id, { altcha })).status).toBe(200)
    // what this process remembers ends with the period, before the solution does
    time += 11 * MINUTE
    const again = await send(id, { altcha })
    expectEnvelope(again, 422, 'VALIDATION_ERROR')
    expect(again.body.error.errors).toMatchObject([{ field: 'altcha' }])
    expect((await formOf(id)).submitted).toBe(1)
  })

  it('warn of programs that fill in the trap', async () => {
    const id = await make()
    expect(await flood(100, () => send(id, { _website: 'x' }))).toEqual({ 200: 100 })
    expect((await formOf(id)).attackedAt).toBeUndefined()
    await send(id, { _website: 'x' })
    expect(await formOf(id)).toMatchObject({ submitted: 0, attackedAt: new Date(time).toISOString() })
  })
})

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
