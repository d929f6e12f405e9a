/** The words of a mail, and those of its button. */
type Words = readonly [subject: string, text: string, button?: string]

/** The mails of Supabase Auth that need no template. */
const TEXTS: Readonly<Record<string, Words>> = {
  signup: ['Confirm your address', 'Follow this link to confirm your address.', 'Confirm'],
  invite: ['You have been invited', 'Follow this link to accept the invitation.', 'Accept'],
  magiclink: ['Log in', 'Follow this link to log in.', 'Log in'],
  recovery: ['Choose a new password', 'Follow this link to choose a new password.', 'New password'],
  email_change: ['Confirm your new address', 'Follow this link to confirm the change of your address.', 'Confirm'],
  email: ['Your code', 'Enter this code, or follow this link.', 'Log in'],
  reauthentication: ['Your code', 'Enter this code to confirm that it is you.'],
  password_changed_notification: ['Your password was changed', 'If it was not you, choose a new one now.'],
  email_changed_notification: ['Your address was changed', 'If it was not you, write to us.'],
  phone_changed_notification: ['Your phone number was changed', 'If it was not you, write to us.'],
  identity_linked_notification: ['A login was added', 'If it was not you, write to us.'],
  identity_unlinked_notification: ['A login was removed', 'If it was not you, write to us.'],
  mfa_factor_enrolled_notification: ['A second factor was added', 'If it was not you, write to us.'],
  mfa_factor_unenrolled_notification: ['A second factor was removed', 'If it was not you, write to us.'],
}

/** The subject and the HTML of a mail; undefined for a kind that has none. */
export function textOf(action: string, { link, token }: { readonly link: string; readonly token: string }) {
  const words = Object.hasOwn(TEXTS, action) ? TEXTS[action] : undefined
  if (words === undefined) return undefined
  const [subject, text, button = 'Continue'] = words
  const parts = [
    `<p>${text}</p>`,
    link === '' ? '' : `<p><a href="${escapeHtml(link)}">${button}</a></p>`,
    token === '' ? '' : `<p>Your code: <strong>${escapeHtml(token)}</strong></p>`,
  ]
  return { subject, body: parts.join('') }
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
