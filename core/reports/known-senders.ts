/**
 * Services that send mail for others, by the domains that stand in their signatures and return paths. A domain below one of
 * them is theirs, too. From their own documentation.
 */
const SERVICES: ReadonlyMap<string, string> = new Map([
  ...named('Amazon SES', 'amazonses.com'),
  ...named('SendGrid', 'sendgrid.net', 'sendgrid.info', 'sendgrid.com'),
  ...named('Mailgun', 'mailgun.org', 'mailgun.net', 'mailgun.com'),
  ...named('Postmark', 'mtasv.net', 'postmarkapp.com'),
  ...named('Resend', 'resend.com', 'resend.dev'),
  ...named('Mailchimp', 'mcsv.net', 'mcdlv.net', 'rsgsv.net', 'mailchimpapp.net', 'mandrillapp.com'),
  ...named('Brevo', 'brevo.com', 'sendinblue.com', 'mailin.fr'),
  ...named('Mailjet', 'mailjet.com', 'bnc3.mailjet.com'),
  ...named('SparkPost', 'sparkpostmail.com', 'sparkpost.com', 'mail-sparkpost.com'),
  ...named('MailerSend', 'mailersend.net', 'mailersend.com'),
  ...named('MailerLite', 'mailerlite.com', 'mlsend.com'),
  ...named('ActiveCampaign', 'acems1.com', 'acems2.com', 'acems3.com', 'emsend1.com', 'emsend2.com'),
  ...named('Klaviyo', 'klaviyomail.com', 'klaviyo.com'),
  ...named('HubSpot', 'hubspotemail.net', 'hubspot.com', 'hs-email.com'),
  ...named('Salesforce', 'salesforce.com', 'exacttarget.com', 'marketingcloud.com', 'bounce.exacttarget.com'),
  ...named('Zendesk', 'zendesk.com', 'zdsys.com'),
  ...named('Freshdesk', 'freshdesk.com', 'freshemail.io'),
  ...named('Intercom', 'intercom-mail.com', 'intercom.io'),
  ...named('Shopify', 'shopifyemail.com', 'shopify.com'),
  ...named('Stripe', 'stripe.com'),
  ...named('CleverReach', 'cleverreach.com', 'crsend.com'),
  ...named('rapidmail', 'rapidmail.com', 'emailsys.net', 'emailsys1a.net'),
  ...named('Scaleway', 'scw-tem.cloud', 'tem.scw.cloud'),
  ...named('Google', 'google.com', 'gmail.com', 'googlemail.com', 'gappssmtp.com', '1e100.net'),
  ...named('Microsoft 365', 'outlook.com', 'onmicrosoft.com', 'hotmail.com', 'protection.outlook.com'),
  ...named('Zoho', 'zoho.com', 'zohomail.com', 'zeptomail.com', 'zcsend.net'),
  ...named('Fastmail', 'messagingengine.com', 'fastmail.com'),
  ...named('Proton', 'proton.me', 'protonmail.ch', 'protonmail.com'),
  ...named('Yahoo', 'yahoo.com', 'yahoodns.net'),
  ...named('Apple iCloud', 'icloud.com', 'me.com'),
  ...named('mailbox.org', 'mailbox.org'),
  ...named('IONOS', 'kundenserver.de', 'ionos.com', 'perfora.net'),
  ...named('OVH', 'ovh.net', 'mail.ovh.net'),
  ...named('Mimecast', 'mimecast.com', 'mimecastreport.com'),
  ...named('Proofpoint', 'pphosted.com', 'ppe-hosted.com'),
])

function named(service: string, ...domains: readonly string[]): readonly (readonly [string, string])[] {
  return domains.map((domain) => [domain, service])
}

/** The service that a domain of a signature or a return path belongs to; undefined when it is not known. */
export function serviceOf(domain: string): string | undefined {
  for (let name = domain; name.includes('.'); name = name.slice(name.indexOf('.') + 1)) {
    const service = SERVICES.get(name)
    if (service !== undefined) return service
  }
  return undefined
}
