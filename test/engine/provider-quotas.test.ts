import { expect, it, onTestFinished } from 'vitest'
import { ses } from '../../plugins/mail-ses/index.ts'
import { engineWithSink } from '../support/engine.ts'
import { SES_KEY, SES_REGION, startFakeSes } from '../support/fake-ses.ts'

const ASKED = 'GET /v2/email/account'

// catches a look at the installation that asks Amazon each time, or hides why there are no figures
it('the figures of Amazon SES stand beside ours, asked once in five minutes, or the reason why there are none', async () => {
  const fake = await startFakeSes()
  onTestFinished(() => fake.close())
  const options = { region: SES_REGION, endpoint: fake.endpoint, credentials: SES_KEY }
  const quota = { transports: { ses: { quota: { day: 40_000 } } } }
  const engineOf = async () => {
    const transports = [{ name: 'ses', plugin: ses(options) }]
    return (await engineWithSink({ transports, delivery: { throttle: quota } })).engine.analytics.operations
  }
  const SendQuota = { Max24HourSend: 50_000, MaxSendRate: 14, SentLast24Hours: 12 }
  fake.account = { SendQuota, SendingEnabled: true }
  const operations = await engineOf()
  const before = fake.requests.filter((each) => each === ASKED).length
  const ours = { transport: 'ses', period: 'day', most: 40_000, sent: 0 }
  const theirs = { transport: 'ses', perDay: 50_000, sent: 12, perSecond: 14, at: expect.any(Date) }
  expect(await operations.view()).toMatchObject({ quotas: [ours], providerQuotas: [theirs] })
  fake.account = { SendQuota: { ...SendQuota, SentLast24Hours: 13 }, SendingEnabled: true }
  const again = await Promise.all([operations.view(), operations.view()])
  expect(again.map(({ providerQuotas }) => providerQuotas)).toEqual([[theirs], [theirs]])
  expect(fake.requests.filter((each) => each === ASKED)).toHaveLength(before + 1)

  // without a limit, and paused: the figures are there all the same
  fake.account = { SendQuota: { Max24HourSend: -1, MaxSendRate: 14, SentLast24Hours: 12 }, SendingEnabled: false }
  const unlimited = await (await engineOf()).view()
  expect(unlimited.providerQuotas).toEqual([{ transport: 'ses', sent: 12, perSecond: 14, at: expect.any(Date) }])

  fake.always(ASKED, { status: 403, name: 'AccessDeniedException', message: 'no' })
  const error = 'Amazon SES does not tell this server its quota: allow ses:GetAccount'
  const refused = await (await engineOf()).view()
  expect(refused.providerQuotas).toEqual([{ transport: 'ses', at: expect.any(Date), error }])
  await fake.close()
  const away = await (await engineOf()).view()
  expect(away.providerQuotas[0]?.error).toMatch(/^Amazon SES cannot be asked: .*ECONNREFUSED/)
})
