import { afterAll, afterEach } from 'vitest'
import { endFile } from './end-of-file.ts'
import { checkReceived } from './every-mail.ts'
import { checkLogs } from './logged-secrets.ts'

/* Runs before every test file. Files share their worker's modules, so hooks for each file are set here. */

afterEach(checkReceived)
// the first try of each test fails at its end, which shows those that cannot be tried again
if (process.env.FAIL_ONCE === '1')
  afterEach(({ task: { result } }) => {
    if (result?.retryCount === 0 && result.state !== 'fail') throw new Error('made to fail once')
  })
afterAll(async () => {
  await endFile()
  await checkReceived()
  await checkLogs()
})
