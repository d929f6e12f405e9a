'use server'
// A server action of Next.js: app/actions.ts, for <form action={welcome}>.
import { createClient } from 'mailwright/client'

const mailwright = createClient({
  baseUrl: process.env.MAILWRIGHT_URL ?? '',
  key: process.env.MAILWRIGHT_KEY ?? '',
})

/** Greets a person who signed up, once a day. An error is thrown, so that Next shows its error page. */
export async function welcome(form: FormData): Promise<void> {
  const email = String(form.get('email'))
  const { error } = await mailwright.POST('/v1/send', {
    params: { header: { 'Idempotency-Key': `welcome-${encodeURIComponent(email)}`.slice(0, 255) } },
    body: { to: email, from: 'Acme <hello@example.com>', subject: 'Welcome', text: 'Good to have you.' },
  })
  if (error) throw new Error(error.message)
}
