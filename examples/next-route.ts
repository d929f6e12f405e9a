// A route handler of Next.js: app/api/contact/route.ts. It is a plain function on a Request, so it works wherever one is.
import { createClient } from 'mailwright/client'

const mailwright = createClient({
  baseUrl: process.env.MAILWRIGHT_URL ?? '',
  key: process.env.MAILWRIGHT_KEY ?? '',
})

/** Mails a message of the site's form to the shop; a reply goes to its author. */
export async function POST(request: Request): Promise<Response> {
  const { email, message }: { email?: unknown; message?: unknown } = Object(await request.json())
  const { error, response } = await mailwright.POST('/v1/send', {
    // a second click on the same button has the same id, and sends nothing more
    params: { header: { 'Idempotency-Key': request.headers.get('x-request-id') ?? crypto.randomUUID() } },
    body: {
      to: 'shop@example.com',
      from: 'Website <hello@example.com>',
      replyTo: String(email),
      subject: 'A message from the website',
      text: String(message),
      placeholders: false,
    },
  })
  if (error) return Response.json({ message: error.message }, { status: response.status })
  return Response.json({ sent: true })
}
