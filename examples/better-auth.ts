// The mails of better-auth, for `betterAuth({ …, ...mails })`. A magic link: `magicLink({ sendMagicLink })`.
import { createClient } from 'mailwright/client'

const mailwright = createClient({
  baseUrl: process.env.MAILWRIGHT_URL ?? '',
  key: process.env.MAILWRIGHT_KEY ?? '',
})

/** Sends a link that works once: it is neither tracked nor kept with the contact. */
async function send(to: string, subject: string, url: string): Promise<void> {
  const { error } = await mailwright.POST('/v1/send', {
    body: {
      to,
      from: 'Acme <security@example.com>',
      subject,
      tracking: false,
      body: '<p><a href="{{ link }}" data-no-track>{{ label }}</a></p><p>If you did not ask for it, do nothing.</p>',
      data: { link: { value: url, persistent: false }, label: { value: subject, persistent: false } },
    },
  })
  if (error) throw new Error(error.message)
}

interface Asked {
  readonly user: { readonly email: string }
  readonly url: string
}

/** The parts of the options of better-auth that send mail. */
export const mails = {
  emailAndPassword: {
    enabled: true,
    requireEmailVerification: true,
    sendResetPassword: ({ user, url }: Asked) => send(user.email, 'Choose a new password', url),
  },
  emailVerification: {
    sendOnSignUp: true,
    sendVerificationEmail: ({ user, url }: Asked) => send(user.email, 'Confirm your address', url),
  },
}

/** For the plugin of magic links. */
export function sendMagicLink({ email, url }: { readonly email: string; readonly url: string }): Promise<void> {
  return send(email, 'Log in', url)
}
