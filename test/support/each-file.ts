import { afterAll, afterEach } from 'vitest'
import { endFile } from './end-of-file.ts'
import { checkReceived } from './every-mail.ts'

/* Runs before every test file: files share the modules of their worker, so what is to happen in each is asked for here. */

afterEach(checkReceived)
afterAll(async () => {
  await endFile()
  await checkReceived()
})
