import { describe, expect, it } from 'vitest'
import { nodeDns } from '../../plugins/dns-node/index.ts'
import { DISABLED_SECRET, expectEnvelope, expectFlat, PUBLIC, testApp } from '../support/app.ts'
import { startDnsServer } from '../support/dns-server.ts'
import { atEndOfFile } from '../support/end-of-file.ts'
import { QUICK } from '../support/matrix.ts'

const names = await startDnsServer({
  'acme.org': { NS: ['ns.acme.org'], MX: [{ exchange: 'mx.acme.org', priority: 1 }], A: ['192.0.2.1'] },
})
atEndOfFile(() => names.close())

/** The rules have tests of their own; here is what the wire adds. */
describe.each([QUICK])('POST /v1/verify on $name', (store) => {
  const asked = testApp(store, {}, { dns: nodeDns({ servers: [names.address], timeoutMs: 5_000, tries: 1 }) })
  const verify = async (json: unknown, options: { key?: string | null } = {}) =>
    (await asked).ask('POST', '/v1/verify', { json, ...options })

  it('answers what is known, each field in its place', async () => {
    const { status, body } = await verify({ email: ' Ada@Acme.org ' })
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        success: true,
        data: {
          email: 'ada@acme.org',
          ...{ valid: true, isDisposable: false, isAlias: false, isTypo: false, isPlusAddressed: false },
          ...{ isPersonalEmail: false, domainExists: true, hasWebsite: true, hasMxRecords: true },
          reasons: ['The address is well formed, and its domain takes mail.'],
        },
      },
    })
    const slip = await verify({ email: 'ada@gmial.com' })
    expect(slip.body.data).toMatchObject({ valid: false, isTypo: true, suggestedEmail: 'ada@gmail.com' })
    expect((await verify({ email: 'ada@acme.org', mail: 1 })).body.warnings).toMatchObject([{ field: 'mail' }])
  })

  it('keeps nothing: no contact comes of it', async () => {
    await verify({ email: 'ada@acme.org' })
    expect(await (await asked).counts()).toEqual({ contacts: 0, emails: 0, events: 0 })
  })

  it('refuses what is no address with a flat 400, and what is no text with the field', async () => {
    for (const email of [
      'ada',
      '',
      'ada@acme.org\0',
      'ada@[127.0.0.1]',
      '\ud800@acme.org',
      `${'a'.repeat(500_000)}@acme.org`,
    ]) {
      expectFlat(await verify({ email }), 400)
    }
    for (const email of [undefined, null, 7, ['ada@acme.org'], {}]) {
      expectEnvelope(await verify({ email }), 422, 'VALIDATION_ERROR', { email: expect.any(String) })
    }
  })

  it('is for secret keys of projects that are not disabled', async () => {
    const json = { email: 'ada@acme.org' }
    expectFlat(await verify(json, { key: null }), 401)
    expectFlat(await verify(json, { key: `sk_${'x'.repeat(48)}` }), 401)
    expectEnvelope(await verify(json, { key: PUBLIC }), 403, 'FORBIDDEN')
    expectEnvelope(await verify(json, { key: DISABLED_SECRET }), 403, 'PROJECT_DISABLED')
  })
})
