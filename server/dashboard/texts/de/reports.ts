import type { reports as english } from '../en/reports.ts'
import type { Widened } from '../types.ts'

const fates: Readonly<Record<string, string>> = {
  none: 'Mit p=quarantine kommen solche Mails in den Spam, mit p=reject werden sie abgelehnt.',
  quarantine: 'Solche Mails kommen in den Spam; mit p=reject werden sie abgelehnt.',
  reject: 'Solche Mails werden abgelehnt.',
}

export const reports: Widened<typeof english> = {
  title: 'Berichte der Empfänger',
  hint: (days) => `Wer in den letzten ${days} Tagen im Namen dieser Domain gesendet hat, und was davon DMARC bestand.`,
  add: 'Bericht hinzufügen',
  added: (reporter) => `Der Bericht von ${reporter} ist hinzugefügt.`,
  policy: (policy) => `Die Empfänger finden die Richtlinie p=${policy}.`,
  allPassed: 'Alle Mails haben DMARC bestanden.',
  lost: (policy, failed, shown, own, ownShown) =>
    failed === 1
      ? `${shown} Mail hat DMARC nicht bestanden, und sie kam ${own === 0 ? 'nicht ' : ''}von Ihren eigenen Absendern. ${fates[policy] ?? ''}`
      : `${shown} Mails haben DMARC nicht bestanden, davon ${own === 0 ? 'keine' : ownShown} von Ihren eigenen Absendern. ${fates[policy] ?? ''}`,
  byDay: 'Mails nach Tagen',
  senders: 'Absender',
  sender: 'Absender',
  messages: 'Mails',
  passed: 'Bestanden',
  failed: 'Nicht bestanden',
  rejected: 'Spam oder abgelehnt',
  kinds: {
    own: 'Dieser Server',
    service: 'Ein Dienst, der für Sie sendet',
    other: 'Ein anderes Programm von Ihnen',
    forwarder: 'Weitergeleitet von einem Postfach oder einer Liste',
    unknown: 'Ein Fremder oder ein Programm von Ihnen, das nicht eingerichtet ist',
  },
  addresses: (count, examples) => (count <= 1 ? examples : `${count} Adressen, zum Beispiel ${examples}`),
  rest: 'Weitere Adressen',
  failures: (count, shown, day) =>
    `${shown} ${count === 1 ? 'Fehlerbericht' : 'Fehlerberichte'} zu einzelnen Mails, zuletzt am ${day}. Nur die Zahl wird behalten, denn sie zitieren fremde Mails.`,
  tls: 'Verschlüsselung von Mails an diese Domain',
  tlsFigures: (sessions, failed) => `${sessions} Verbindungen, davon ${failed} fehlgeschlagen.`,
  tlsReasons: {
    'starttls-not-supported': 'der Server bot keine Verschlüsselung an',
    'certificate-host-mismatch': 'das Zertifikat gehört zu einem anderen Host',
    'certificate-expired': 'das Zertifikat ist abgelaufen',
    'certificate-not-trusted': 'dem Zertifikat wird nicht vertraut',
    'validation-failure': 'ein anderer Fehler',
    'tlsa-invalid': 'der TLSA-Eintrag ist falsch',
    'dnssec-invalid': 'die DNS-Antwort ist nicht richtig signiert',
    'dane-required': 'DANE ist verlangt, und es gibt keinen TLSA-Eintrag',
    'sts-policy-fetch-error': 'die MTA-STS-Richtlinie war nicht abzurufen',
    'sts-policy-invalid': 'die MTA-STS-Richtlinie ist falsch',
    'sts-webpki-invalid': 'das Zertifikat des MTA-STS-Hosts ist falsch',
  },
}
