import type { operator as english } from '../en/operator.ts'
import type { Widened } from '../types.ts'

export const operator: Widened<typeof english> = {
  title: 'Betrieb',
  hint: 'Wie es um die gesamte Installation steht, über alle Projekte hinweg.',
  partDown: (name) => `Funktioniert nicht: ${name}`,
  waiting: 'Wartend',
  projects: 'Projekte',
  users: (n, shown) => (n === 1 ? '1 Person mit Konto' : `${shown} Personen mit Konto`),
  project: 'Projekt',
  database: 'Datenbank',
  disk: 'Freier Speicherplatz',
  ofDisk: (share) => `${share} des Datenträgers`,
  unknown: 'Unbekannt',
  memory: 'Arbeitsspeicher',
  roles: { api: 'Nimmt Anfragen an', worker: 'Versendet', all: 'Nimmt Anfragen an und versendet' },
  running: 'Läuft seit',
  version: (version) => `Version ${version}`,
  lasting: (seconds) =>
    seconds < 60
      ? `${seconds} s`
      : seconds < 3600
        ? `${Math.floor(seconds / 60)} min`
        : seconds < 86_400
          ? `${Math.floor(seconds / 3600)} h`
          : `${Math.floor(seconds / 86_400)} T`,
  ago: (time) => `vor ${time}`,
  queues: 'Warteschlangen',
  queuesHint: 'Wartende Arbeit nach Art und Projekt. Mails mit späterem Zeitpunkt warten, sind aber nicht fällig.',
  noQueues: 'Nichts wartet.',
  work: 'Arbeit',
  kinds: {
    transactional: 'Transaktionale Mails',
    workflow: 'Mails aus Workflows',
    campaign: 'Mails aus Kampagnen',
    webhooks: 'Webhook-Anfragen',
    executions: 'Workflow-Durchläufe',
    contactJobs: 'Importe und Massenänderungen',
    inbound: 'Empfangene Mails',
    requests: 'Per SQL gesendete Mails',
  },
  due: 'Jetzt fällig',
  oldest: 'Älteste seit',
  mail: 'Mails',
  ways: {
    installation: 'Durch die Mailserver der Installation',
    folder: 'In einen Ordner: kein Mailserver ist eingerichtet',
    nowhere: 'Warten auf einen Mailserver',
  },
  transports: 'Versandwege',
  ofThisProcess: 'Wie der Prozess sie kennt, der diese Seite beantwortet.',
  noTransports: 'Dieser Prozess versendet keine Mails.',
  reached: 'Letzte Antwort',
  pausedFor: 'Pausiert für',
  lastError: 'Letztes Problem',
  givenUp: 'Aufgegeben',
  givenUpHint: 'Der Prozess endete dabei dreimal, deshalb wird es nicht noch einmal versucht. Mehr steht im Log.',
  givenUpWork: 'Arbeit',
  givenUpAt: 'Seit',
  backOffs: 'Empfänger, die Mails aufschieben',
  backOffsHint: 'An diese Domains wird langsamer versendet, bis sie wieder annehmen.',
  receiver: 'Domain',
  perSecond: 'Mails je Sekunde',
  reason: 'Grund',
  workers: 'Prozesse',
  workersHint: 'Prozesse, die sich die Datenbank teilen.',
  claims: 'In Arbeit',
  blocklists: 'Sperrlisten',
  blocklistsHint:
    'Empfänger lehnen Mails von Adressen ab, die auf solchen Listen stehen. Gefragt wird nur, wenn Sie nachsehen.',
  addresses: 'Adressen, von denen Mails hinausgehen',
  addressesHint: 'IPv4 oder IPv6, mit Kommas dazwischen. Leer: die der Konfiguration.',
  lookUp: 'Nachsehen',
  blocklist: 'Liste',
  blocklistsOf: (address) => `Sperrlisten zu ${address}`,
  listingStates: {
    listed: 'Steht darauf',
    clear: 'Steht nicht darauf',
    refused: 'Antwortet uns nicht',
    unknown: 'Unbekannt',
  },
  listingSays: 'Bedeutung',
}
