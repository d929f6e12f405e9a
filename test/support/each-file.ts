import { afterAll, afterEach } from 'vitest'
import { endFile } from './end-of-file.ts'
import { checkReceived } from './every-mail.ts'
import { checkLogs } from './logged-secrets.ts'

/* Runs before every test file. Files share their worker's modules, so hooks for each file are set here. */

afterEach(checkReceived)
afterAll(async () => {
  await endFile()
  await checkReceived()
  await checkLogs()
})
