// The email adapter of Payload: `email: mailwrightAdapter` in payload.config.ts.
import { mailwright } from 'mailwright/nodemailer'
import { createTransport, type SendMailOptions } from 'nodemailer'

const { MAILWRIGHT_URL: baseUrl = '', MAILWRIGHT_KEY: key = '' } = process.env
const transport = createTransport(mailwright({ baseUrl, key }))
const defaultFromName = 'Acme'
const defaultFromAddress = 'hello@example.com'

/** Sends what Payload sends: resets, verifications, and `payload.sendEmail`. */
export const mailwrightAdapter = () => ({
  name: 'mailwright',
  defaultFromName,
  defaultFromAddress,
  sendEmail: (message: SendMailOptions) =>
    transport.sendMail({ from: { name: defaultFromName, address: defaultFromAddress }, ...message }),
})
