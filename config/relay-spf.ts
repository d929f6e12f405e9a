/**
 * The SPF mechanisms that include the relays of these providers, by the end of the relay's name. As the providers
 * document it.
 */
const INCLUDES: Readonly<Record<string, string>> = {
  'amazonaws.com': 'amazonses.com',
  'smtp2go.com': 'spf.smtp2go.com',
  'brevo.com': 'spf.brevo.com',
  'sendinblue.com': 'spf.brevo.com',
  'elasticemail.com': '_spf.elasticemail.com',
  'fastmail.com': 'spf.messagingengine.com',
  'gmail.com': '_spf.google.com',
  'googlemail.com': '_spf.google.com',
  'google.com': '_spf.google.com',
  'mailersend.net': '_spf.mailersend.net',
  'mailgun.org': 'mailgun.org',
  'eu.mailgun.org': 'eu.mailgun.org',
  'mailjet.com': 'spf.mailjet.com',
  'mandrillapp.com': 'spf.mandrillapp.com',
  'messagingengine.com': 'spf.messagingengine.com',
  'office365.com': 'spf.protection.outlook.com',
  'outlook.com': 'spf.protection.outlook.com',
  'postmarkapp.com': 'spf.mtasv.net',
  'scw.cloud': '_spf.tem.scw.cloud',
  'sendgrid.net': 'sendgrid.net',
  'sparkpostmail.com': 'sparkpostmail.com',
  'zoho.com': 'zohomail.com',
  'zoho.eu': 'zohomail.eu',
}

/** The mechanism that lets a relay send, `include:sendgrid.net`; undefined for a relay that is not known here. */
export function relaySpf(host: string): string | undefined {
  const labels = host.toLowerCase().replace(/\.$/, '').split('.')
  for (let i = 0; i < labels.length; i++) {
    const name = INCLUDES[labels.slice(i).join('.')]
    if (name !== undefined) return `include:${name}`
  }
  return undefined
}
