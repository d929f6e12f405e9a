// The email plugin of Strapi: config/plugins.ts, with the package @strapi/provider-email-nodemailer.
import { mailwright } from 'mailwright/nodemailer'

/** `env` is Strapi's. */
export default ({ env }: { env(name: string): string }) => ({
  email: {
    config: {
      provider: 'nodemailer',
      providerOptions: mailwright({ baseUrl: env('MAILWRIGHT_URL'), key: env('MAILWRIGHT_KEY') }),
      settings: { defaultFrom: 'Acme <hello@example.com>', defaultReplyTo: 'help@example.com' },
    },
  },
})
