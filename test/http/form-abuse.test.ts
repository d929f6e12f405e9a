import { createHash } from 'node:crypto'
import { simpleParser } from 'mailparser'
import { beforeAll, describe, expect, it } from 'vitest'
import { EngineError } from '../../core/errors.ts'
import { accountWorld } from '../support/accounts.ts'
import { expectEnvelope, SECRET, type TestApp, testApp } from '../support/app.ts'
import { LINK_SETTINGS } from '../support/contact-links.ts'
import { QUICK } from '../support/matrix.ts'
import { until } from '../support/until.ts'

// On PostgreSQL, the stricter: what is stored has its contract on both.
const store = QUICK

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

describe.each([QUICK])('the mails of a project that strangers cause, on $name', (each) => {
  it('are bounded by hour and day, whatever they ask; nothing is lost, and the answers tell nothing', async () => {
    const [secretKey, publicKey] = [`sk_${'d'.repeat(48)}`, `pk_${'d'.repeat(48)}`]
    const strangers = { mailsPerHour: 3, mailsPerDay: 5 }
    const world = await accountWorld(each, { strangers }, { trustProxy: true })
    const ada = await world.signup()
    const { id } = (await ada.ask('POST', '/users/@me/projects', { json: { name: 'Crew' } })).body
    const from = { trustedDomains: ['crew.example'], doubleOptIn: { from: 'news@crew.example' } }
    await world.engine.projects.applySettings([{ id, name: 'Crew', secretKey, publicKey, ...from }])
    const ask = (path: string, json?: object, key: string | null = secretKey) =>
      world.ask(json === undefined ? 'GET' : 'POST', path, json === undefined ? { key } : { key, json })
    const form = (await ask('/forms', FORM)).body.id as string
    const [at, address] = [(name: string) => `${name}@example.org`, { 'x-forwarded-for': '10.0.0.1' }]
    const open = async (path: string, name: string) => {
      const { status, text } = await world.open('POST', path, { email: at(name) }, address)
      return `${status} ${text}`
    }
    const track = async (name: string, key = publicKey) =>
      (await ask('/v1/track', { email: at(name), event: 'signup', subscribed: true }, key)).status
    const total = async (query: string) => (await ask(`/emails?${query}`)).body.total as number
    const asked = (name: string) => total(`search=${at(name)}`)
    const warnings = () => world.lines.filter(({ message }) => message === 'mails that strangers ask for are held back')

    const answer = await open(`/f/${form}`, 'a')
    await Promise.all([open(`/f/${form}`, 'b'), track('c'), open(`/f/${form}`, 'd'), track('e')])
    expect(await total('limit=1')).toBe(3)
    expect([await open(`/f/${form}`, 'f'), await track('g')]).toEqual([answer, 200])
    expect([await asked('f'), await asked('g')]).toEqual([0, 0])
    expect(warnings()).toMatchObject([{ fields: { project: id, ...strangers } }])
    const { data } = (await ask(`/forms/${form}/submissions?limit=1`)).body
    expect(data).toMatchObject([{ outcome: 'waiting', contact: { email: at('f') } }])
    // the way out is not closed by those who ask for a way in
    expect(await track('member', secretKey)).toBe(200)
    expect(await open(`/leave/${id}`, 'member')).toMatch(/^200/)
    expect(await asked('member')).toBe(1)
    const mails = () =>
      world.sink.messages.filter(({ to, raw }) => to.includes(ada.email) && /held back/.test(`${raw}`))
    await until('the owner is told', () => mails().length > 0, 20_000)
    expect(mails()).toHaveLength(1)
    expect((await simpleParser(mails()[0]!.raw)).text).toContain('The project Crew was asked')
    // who was held back can ask again
    world.pass(3600)
    await open(`/f/${form}`, 'f')
    await track('g')
    expect([await asked('f'), await asked('g')]).toEqual([1, 1])
    expect([await open(`/f/${form}`, 'h'), await asked('h')]).toEqual([answer, 0])
    world.pass(3600)
    await track('h')
    expect(await asked('h')).toBe(0)
    world.pass(22 * 3600)
    await open(`/f/${form}`, 'h')
    expect(await asked('h')).toBe(1)
    expect(warnings()).toHaveLength(1)
  }, 40_000)

  it('leave no more ways out than they may, apart from confirmations', async () => {
    const strangers = { mailsPerHour: 2, mailsPerDay: 9 }
    const projects = [{ name: 'Acme', secretKey: SECRET, trustedDomains: ['example.com'], from: 'news@example.com' }]
    const test = await testApp(each, {}, { ...LINK_SETTINGS, projects, strangers })
    const [project] = await test.engine.projects.list()
    const emails = ['a', 'b', 'c'].map((name) => `${name}@example.org`)
    for (const email of emails) await test.ask('POST', '/contacts', { json: { email, subscribed: true } })
    const answers = await Promise.all(
      emails.map((email) => test.ask('POST', `/leave/${project!.id}`, { key: null, json: { email } })),
    )
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect((await test.ask('GET', '/emails')).body.total).toBe(2)
    const { id } = (await test.ask('POST', '/forms', { json: FORM })).body
    await test.ask('POST', `/f/${id}`, { key: null, json: { email: 'd@example.org' } })
    expect((await test.ask('GET', '/emails')).body.total).toBe(3)
  })
})

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
