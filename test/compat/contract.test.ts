import { describe } from 'vitest'
import { silentLog, systemClock } from '../../config/library.ts'
import { resendApi } from '../../server/compat/index.ts'
import { type ForeignApiSubject, foreignApiContract } from '../contracts/foreign-api.ts'

const kit = { log: silentLog, clock: systemClock }

/** Each foreign API that comes with the package, with the request by which its clients send. */
const SUBJECTS: Readonly<Record<string, () => Promise<ForeignApiSubject>>> = {
  resend: async () => ({
    api: (await resendApi().open(kit)).compat,
    keyHeaders: (key) => ({ authorization: `Bearer ${key}` }),
    sends: ({ to, subject, text }) => ({
      method: 'POST',
      path: '/emails',
      body: { from: 'hello@example.com', to: [to], subject, text },
    }),
  }),
}

for (const [name, setup] of Object.entries(SUBJECTS)) describe(`the API of ${name}`, () => foreignApiContract(setup))
