import { definePlugin } from '../../core/plugin/plugin.ts'
import { requireFreePort } from '../kit/smtp-server/free-port.ts'
import { SubmissionSmtpOptions } from './options.ts'
import { SubmissionListener } from './submission-listener.ts'

export { SubmissionSmtpOptions } from './options.ts'

/**
 * Takes mail from any program that speaks SMTP (message submission, RFC 6409). The user name is a
 * project's id, the password one of its secret keys. It answers 250 once the mail is stored.
 * `submissionServer({ tls: { keyFile, certFile } })`.
 */
export const submissionServer = definePlugin({
  name: 'submission-smtp',
  provides: ['submission'],
  options: SubmissionSmtpOptions,
  describe: ({ host, port }) => `${host}:${port}`,
  reach: requireFreePort,
  async open(options, { log }) {
    const submission = new SubmissionListener(options, log)
    await submission.readCertificate()
    return { submission }
  },
})
