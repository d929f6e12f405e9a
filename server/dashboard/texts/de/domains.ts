import type { domains as english } from '../en/domains.ts'
import type { Widened } from '../types.ts'

export const domains: Widened<typeof english> = {
  title: 'Domains',
  hint: 'Die Domains, von denen Sie senden. Empfänger vertrauen Mails, deren Domain durch DNS-Einträge bestätigt ist.',
  add: 'Domain hinzufügen',
  domain: 'Domain',
  domainHint: 'Der Teil Ihrer Absenderadressen nach dem @, zum Beispiel example.com.',
  added: (domain) => `${domain} ist hinzugefügt. Tragen Sie jetzt die DNS-Einträge ein.`,
  empty: 'Noch keine Domain',
  emptyHint:
    'Fügen Sie die Domain Ihrer Absenderadressen hinzu. Sie erhalten dann die DNS-Einträge, die Sie bei Ihrem Domain-Anbieter eintragen.',
  records: 'DNS-Einträge',
  recordsHint:
    'Tragen Sie diese bei Ihrem Domain-Anbieter ein. Bis sie sichtbar sind, können Minuten oder Stunden vergehen.',
  type: 'Typ',
  name: 'Name',
  value: 'Wert',
  purpose: 'Zweck',
  state: 'Status',
  required: 'erforderlich',
  purposes: {
    dkim: 'Signatur (DKIM)',
    spf: 'Erlaubte Server (SPF)',
    'return-path': 'Rückläufer',
    dmarc: 'Richtlinie (DMARC)',
    ownership: 'Nachweis der Inhaberschaft',
    inbound: 'Mail-Empfang',
    link: 'Links',
  },
  states: { PENDING: 'Noch nicht gefunden', VERIFIED: 'Vorhanden', FAILED: 'Falsch' },
  check: 'Jetzt prüfen',
  checkedAt: 'Zuletzt geprüft',
  checked: 'Geprüft.',
  rotate: 'Neuer Schlüssel',
  rotateTitle: 'Neuen Signaturschlüssel erzeugen?',
  rotateHint:
    'Dafür ist ein neuer DNS-Eintrag nötig. Der bisherige Schlüssel signiert weiter, bis der neue gefunden wird.',
  rotated: 'Tragen Sie jetzt den neuen DNS-Eintrag ein.',
  remove: 'Entfernen',
  removeTitle: (domain) => `${domain} entfernen?`,
  removeHint: 'Die Signaturschlüssel werden gelöscht. Mails von dieser Domain werden ab dann abgelehnt.',
  removed: 'Entfernt.',
  test: 'Testmail senden',
  testHint: 'Eine echte Mail wird gesendet und wieder eingelesen, um zu sehen, was beim Empfänger ankommt.',
  testing: 'Die Testmail wird erwartet …',
  result: 'So kam sie an',
  linkHost: 'Hostname für Links',
  linkHostHint:
    'Ein Name unterhalb der Domain für die Links in den Mails, zum Beispiel links.example.com. Leer: die Adresse dieses Servers.',
  saved: 'Gespeichert.',
}
