// A provider of Auth.js (next-auth 5, @auth/core) that sends its magic links: `providers: [mailwrightLink]`.
import { createClient } from 'mailwright/client'

const mailwright = createClient({
  baseUrl: process.env.MAILWRIGHT_URL ?? '',
  key: process.env.MAILWRIGHT_KEY ?? '',
})

/** The request of Auth.js for a mail. */
interface Asked {
  readonly identifier: string
  readonly url: string
  readonly expires: Date
}

/** Logs people in by a link in a mail. Auth.js keeps the token in your adapter; this provider only sends. */
export const mailwrightLink = {
  id: 'mailwright',
  type: 'email' as const,
  name: 'E-mail',
  from: 'Acme <security@example.com>',
  maxAge: 3600,
  async sendVerificationRequest({ identifier, url, expires }: Asked): Promise<void> {
    const { error } = await mailwright.POST('/v1/send', {
      body: {
        to: identifier,
        from: 'Acme <security@example.com>',
        subject: 'Log in',
        tracking: false,
        body: '<p><a href="{{ link }}" data-no-track>Log in</a></p><p>If you did not ask for it, do nothing.</p>',
        data: { link: { value: url, persistent: false } },
        // later the link would not work any more
        expiresAt: expires.toISOString(),
      },
    })
    if (error) throw new Error(error.message)
  },
}
