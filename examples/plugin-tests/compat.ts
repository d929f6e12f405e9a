import { silentLog, systemClock } from 'mailwright'
import { foreignApiContract } from 'mailwright/contracts'
import { describe } from 'vitest'
import { acmeApi } from '../own-compat.ts'

describe('compat-acme', () => {
  foreignApiContract(async () => ({
    api: (await acmeApi().open({ log: silentLog, clock: systemClock })).compat,
    keyHeaders: (key) => ({ 'x-acme-key': key }),
    sends: ({ to, subject: title, text: words }) => ({
      method: 'POST',
      path: '/mails',
      body: { sender: 'hello@example.com', to: [to], title, words },
    }),
  }))
})
