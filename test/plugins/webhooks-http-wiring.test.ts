import * as v from 'valibot'
import { describe, expect, it, onTestFinished } from 'vitest'
import { loadConfig } from '../../config/load.ts'
import { definePlugin } from '../../core/plugin/plugin.ts'
import type { KitOf } from '../../core/plugin/types.ts'
import { configFolder, problemsOf } from '../config/config-folder.ts'
import { engineWithSink } from '../support/engine.ts'

describe('the sender of webhooks', () => {
  it('is the one by HTTP unless another is given', async () => {
    expect((await load({})).engine.webhookSender.name).toBe('webhooks-http')
    expect((await load({ webhookSender: 'http' })).engine.webhookSender.name).toBe('webhooks-http')
    expect(await problemsOf(load({ webhookSender: 'smtp' }))).toEqual([
      'webhookSender: smtp is not a webhooks plugin (it provides transport)',
    ])
    expect(await problemsOf(load({ webhookSender: { use: 'http', options: { proxy: 'http://127.0.0.1' } } }))).toEqual([
      expect.stringMatching(/^webhookSender\.options\.proxy: is not a known option \(there /),
    ])
  })

  it('is given the resolver and the networks that are open', async () => {
    const kits: KitOf<'webhooks'>[] = []
    const other = definePlugin({
      name: 'webhooks-other',
      provides: ['webhooks'],
      options: v.strictObject({}),
      open(_options, kit) {
        kits.push(kit)
        return { webhooks: { send: async () => ({ outcome: 'failed', reason: 'never tried' }) } }
      },
    })
    const { engine } = await engineWithSink({ webhookSender: other(), egress: { allow: ['10.1.0.0/16', 'fd00::/8'] } })
    onTestFinished(() => engine.stop())
    expect(kits.map(({ egress }) => egress)).toEqual([{ dns: engine.dns, allow: ['10.1.0.0/16', 'fd00::/8'] }])
  })
})

describe('egress.allow', () => {
  it.each([
    '10.0.0.0/8',
    '10.1.2.3',
    '0.0.0.0/0',
    '127.0.0.1/32',
    '::1',
    'fd00::/8',
    '::ffff:10.0.0.0/104',
    '2001:db8::/128',
  ])('takes %s', async (network) => {
    const { engine } = await load({ egress: { allow: [network] } })
    expect(engine.egress).toEqual({ allow: [network] })
  })

  it.each([
    '',
    '10',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    '10.0.0.0/255.0.0.0',
    '010.0.0.0/8',
    '10.0.0',
    '0x0a.0.0.1',
    '::/129',
    'fe80::1%eth0',
    'localhost',
    'internal.example',
    '*',
  ])('refuses %j', async (network) => {
    expect(await problemsOf(load({ egress: { allow: ['10.0.0.0/8', network] } }))).toEqual([
      'egress.allow[1]: must be a network such as 10.0.0.0/8, or an address',
    ])
  })
})

async function load(config: object) {
  return loadConfig({ cwd: await configFolder({ 'mailwright.config.json': JSON.stringify(config) }), env: {} })
}
