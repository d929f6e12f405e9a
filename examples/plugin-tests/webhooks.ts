import { silentLog, systemClock } from 'mailwright'
import { webhookSenderContract } from 'mailwright/contracts'
import { describe } from 'vitest'
import { ownWebhooks } from '../own-webhooks.ts'

describe('webhooks-own', () => {
  webhookSenderContract(async (egress) => {
    const { webhooks } = await ownWebhooks().open({ log: silentLog, clock: systemClock, egress })
    return { webhooks, close: async () => {} }
  })
})
