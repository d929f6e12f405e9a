/** The other services in whose form events may come, with the events that they have, by our names of them. */
export const DIALECTS: Readonly<Record<string, { readonly name: string; readonly events: readonly string[] }>> = {
  resend: {
    name: 'Resend',
    events: [
      ...['email.sent', 'email.delivery', 'email.bounce', 'email.complaint', 'email.open', 'email.click'],
      ...['email.received', 'contact.created'],
    ],
  },
  postmark: {
    name: 'Postmark',
    events: [
      ...['email.delivery', 'email.bounce', 'email.complaint', 'email.open', 'email.click'],
      ...['contact.subscribed', 'contact.unsubscribed'],
    ],
  },
  sendgrid: {
    name: 'SendGrid',
    events: [
      ...['email.sent', 'email.delivery', 'email.bounce', 'email.open', 'email.click', 'email.complaint'],
      ...['contact.unsubscribed', 'contact.subscribed'],
    ],
  },
  mailgun: {
    name: 'Mailgun',
    events: [
      ...['email.delivery', 'email.bounce', 'email.open', 'email.click', 'email.complaint'],
      'contact.unsubscribed',
    ],
  },
}
