import { readFile } from 'node:fs/promises'
import { parseEnv } from 'node:util'
import { createTransport } from 'nodemailer'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { submissionServer } from '../../plugins/submission-smtp/index.ts'
import { PROJECT, SECRET, type TestApp, testApp } from '../support/app.ts'
import { ANY } from '../support/matrix.ts'
import { freePort } from '../support/server-process.ts'

/*
 * The files for programs that send by SMTP: nodemailer, which they use, gets the options that they make of them. The files
 * are as they stand, but for the host, the port, the user and the password.
 */
describe('a file for', () => {
  let test: TestApp
  let port: number

  beforeAll(async () => {
    port = await freePort()
    test = await testApp(ANY, {}, { submission: [submissionServer({ host: '127.0.0.1', port })] })
    await test.engine.start()
  })
  afterAll(() => test.engine.stop())

  /** Sends with these options, and answers the record. */
  async function sentWith(options: object, from: string, to: string) {
    await createTransport(options).sendMail({ from, to, subject: 'Reset', text: 'Here it is' })
    const { body } = await test.ask('GET', `/emails?search=to:${to}`)
    return body.data
  }

  it('Directus sends', async () => {
    const text = await readFile('examples/directus.env', 'utf8')
    const known = /^(?:EMAIL_FROM|EMAIL_TRANSPORT|EMAIL_SMTP_(?:HOST|PORT|SECURE|USER|PASSWORD))="[^"]+"$/
    expect(
      text
        .trim()
        .split('\n')
        .filter((line) => !known.test(line)),
    ).toEqual([])
    const env: Readonly<Record<string, string | undefined>> = { ...parseEnv(text) }
    expect(env.EMAIL_TRANSPORT).toBe('smtp')
    // its environment reads numbers and truth values
    const options = {
      host: '127.0.0.1',
      port,
      secure: env.EMAIL_SMTP_SECURE === 'true',
      auth: { user: PROJECT, pass: SECRET },
      tls: {},
    }
    const sent = await sentWith(options, `Directus <${env.EMAIL_FROM}>`, 'directus@example.org')
    expect(sent).toMatchObject([{ subject: 'Reset', from: 'hello@example.com' }])
  })

  it('Ghost sends', async () => {
    const { mail } = JSON.parse(await readFile('examples/ghost.json', 'utf8'))
    expect(mail).toMatchObject({ transport: 'SMTP', options: { secure: false, auth: expect.anything() } })
    const options = { ...mail.options, host: '127.0.0.1', port, auth: { user: PROJECT, pass: SECRET } }
    expect(await sentWith(options, mail.from, 'ghost@example.org')).toMatchObject([{ from: 'hello@example.com' }])
  })
})
