import type { mailServers as english } from '../en/mail-servers.ts'
import type { Widened } from '../types.ts'

const APP_PASSWORD =
  'Nehmen Sie ein App-Passwort, nicht das, mit dem Sie sich anmelden. Sie erstellen es in den Sicherheitseinstellungen Ihres Kontos.'
const HINTS: Readonly<Record<string, string>> = {
  ses: 'Nehmen Sie die SMTP-Zugangsdaten von Amazon SES. Das sind nicht die Zugriffsschlüssel Ihres Kontos.',
  brevo: 'Der Benutzer ist der Login, den Brevo unter „SMTP & API“ zeigt, das Passwort ein SMTP-Schlüssel von dort.',
  elastic: 'Nehmen Sie die SMTP-Zugangsdaten aus den Einstellungen von Elastic Email.',
  fastmail: APP_PASSWORD,
  gmail: `${APP_PASSWORD} Gmail verlangt dafür die Bestätigung in zwei Schritten.`,
  google: 'Der SMTP-Relay-Dienst muss in der Admin-Konsole von Google Workspace eingeschaltet sein.',
  icloud: APP_PASSWORD,
  ionos:
    'Nehmen Sie Adresse und Passwort des Postfachs. IONOS nimmt nur Absender an, deren Domain die des Postfachs ist.',
  mailbox: 'Nehmen Sie Adresse und Passwort des Postfachs; mit Zwei-Faktor-Anmeldung ein App-Passwort.',
  mailersend: 'Nehmen Sie SMTP-Benutzer und Passwort Ihrer Domain bei MailerSend.',
  mailgun: 'Nehmen Sie die SMTP-Zugangsdaten Ihrer Absenderdomain bei Mailgun.',
  mailjet: 'Der Benutzer ist Ihr API-Schlüssel, das Passwort Ihr geheimer Schlüssel.',
  mailtrap: 'Das Passwort ist ein API-Token Ihrer Absenderdomain.',
  microsoft:
    'Das Postfach muss sich per SMTP anmelden dürfen („Authentifiziertes SMTP“). Viele Organisationen schalten das ab.',
  ovh: 'Nehmen Sie Adresse und Passwort des Postfachs.',
  postmark: 'Das Passwort ist das API-Token Ihres Servers bei Postmark.',
  resend: 'Das Passwort ist ein API-Schlüssel.',
  scaleway: 'Der Benutzer ist die ID Ihres Projekts, das Passwort ein geheimer Schlüssel.',
  sendgrid: 'Das Passwort ist ein API-Schlüssel, der Mails senden darf.',
  smtp2go: 'Nehmen Sie einen SMTP-Benutzer. Sie legen ihn unter „Sending“ an.',
  sparkpost: 'Das Passwort ist ein API-Schlüssel mit dem Recht „Send via SMTP“.',
  strato: 'Nehmen Sie Adresse und Passwort des Postfachs.',
  yahoo: APP_PASSWORD,
  zoho: `${APP_PASSWORD} Konten in Europa, Indien und anderen Regionen haben andere Server: siehe „Weitere Einstellungen“.`,
}

export const mailServers: Widened<typeof english> = {
  title: 'Mailserver',
  hint: 'Mails gehen über den ersten, der sie annimmt, und über den nächsten, solange einer fehlt. Änderungen gelten sofort.',
  provider: 'Anbieter',
  providerHint: 'Wer Ihre Mails versendet: ein Versanddienst oder das Postfach, das Sie haben.',
  choose: 'Anbieter wählen',
  noneFound: 'Nicht in der Liste: Wählen Sie „Anderer Mailserver“.',
  other: 'Anderer Mailserver (SMTP)',
  direct: 'Ohne Anbieter: Dieser Rechner übergibt Mails selbst an die Empfänger',
  directHint:
    'Dieser Rechner muss Port 25 anderer Server erreichen; viele Hoster öffnen ihn erst auf Anfrage. Der Reverse-Eintrag (PTR) seiner Adresse muss ihn nennen, und die SPF- und DKIM-Einträge Ihrer Absenderdomains müssen ihm das Senden erlauben. Beginnen Sie mit wenigen Mails: Empfänger vertrauen einer neuen Adresse erst mit der Zeit.',
  directMore:
    'Mehr dazu, etwa wie Rückläufer ankommen: „Sending without a provider“ in der Dokumentation (docs/direct.md, englisch).',
  machine: 'Name dieses Rechners',
  machineHint: 'Sein voller Name im DNS. Er führt zu der Adresse, von der die Mails kommen.',
  directAs: (host) => `Ohne Anbieter, als ${host}`,
  hintOf: (preset) => HINTS[preset.split('-')[0] ?? ''] ?? '',
  keyPage: (provider) => `Wo Sie das bei ${provider} finden`,
  host: 'Server',
  port: 'Port',
  security: 'Verschlüsselung',
  securities: { starttls: 'STARTTLS', tls: 'TLS von Anfang an', none: 'Notfalls keine' },
  user: 'Benutzer',
  userHint: 'Oft Ihre E-Mail-Adresse.',
  password: 'Passwort oder Schlüssel',
  passwordHint: 'Es wird verschlüsselt gespeichert und nie wieder angezeigt.',
  passwordStored: 'Eines ist gespeichert. Lassen Sie das Feld leer, um es zu behalten.',
  more: 'Weitere Einstellungen',
  name: 'Name',
  nameHint: 'Wie er in Listen und Protokollen heißt. Leer: der Name des Anbieters.',
  directNameHint: 'Wie er in Listen und Protokollen heißt. Leer: der Name dieses Rechners.',
  test: 'Vor dem Speichern ausprobieren',
  testConnection: 'Verbindung testen',
  testTo: 'Testmail an',
  testFrom: 'Von',
  sendTest: 'Testmail senden',
  works: 'Der Server ist erreichbar und nimmt die Anmeldung an.',
  directWorks: 'Mailserver großer Empfänger antworten, und der Name dieses Rechners führt zu einer Adresse.',
  worksWithoutLogin:
    'Der Server ist erreichbar. Ohne Benutzer wurde keine Anmeldung versucht: Die meisten Server nehmen Mails nur nach einer Anmeldung an.',
  sent: (to) =>
    `Der Server hat die Testmail an ${to} angenommen. Sehen Sie in Ihren Posteingang und in den Spamordner.`,
  failed: 'So lässt sich der Server nicht nutzen.',
  mailRefused: 'Die Anmeldung klappt, aber der Server hat die Mail abgelehnt. Oft erlaubt er diesen Absender nicht.',
  directRefused: 'Der Server des Empfängers hat die Mail nicht angenommen.',
  said: (reason) => `Im Einzelnen: ${reason}`,
  troubles: {
    'host-unknown': 'Einen Server mit diesem Namen gibt es nicht. Ist er richtig geschrieben?',
    dns: 'Der Name des Servers ließ sich nicht nachschlagen: Der Nameserver antwortet nicht.',
    forbidden: 'Diese Adresse liegt in einem privaten Netz. Nur wer diesen Server betreibt, darf sie verwenden.',
    'port-refused': 'An diesem Port antwortet nichts. Stimmt der Port? Üblich sind 587 und 465.',
    unreachable: 'Der Server ist von hier aus nicht erreichbar.',
    'no-answer':
      'Der Server antwortet nicht. Vielleicht ist eine Firewall im Weg; manche Hoster sperren ausgehende Mails.',
    'no-greeting': 'Der Server sagt nichts. Wenn der Port 465 ist, wählen Sie „TLS von Anfang an“.',
    http: 'An diesem Port antwortet ein Webserver, kein Mailserver. Üblich sind die Ports 587 und 465.',
    'not-tls': 'Dieser Port beginnt nicht mit TLS: Wählen Sie STARTTLS.',
    'closed-before-tls':
      'Der Server hat die Verbindung beendet, statt mit TLS zu beginnen. Vielleicht will er an diesem Port STARTTLS: Wählen Sie das.',
    'no-starttls':
      'Der Server bietet keine Verschlüsselung an (STARTTLS). Wählen Sie „TLS von Anfang an“ mit Port 465 oder, auf einer Leitung, der Sie trauen, „Notfalls keine“.',
    'wants-tls': 'Der Server verlangt eine verschlüsselte Verbindung: Wählen Sie STARTTLS.',
    'certificate-name':
      'Das Zertifikat des Servers gilt für einen anderen Namen: Nehmen Sie den, den der Anbieter nennt.',
    'certificate-expired': 'Das Zertifikat des Servers ist abgelaufen. Sein Betreiber muss es erneuern.',
    certificate: 'Dem Zertifikat des Servers wird nicht vertraut.',
    tls: 'Über die Verschlüsselung kam keine Einigung zustande.',
    login: 'Der Server hat den Benutzer oder das Passwort abgelehnt.',
    'no-login':
      'Der Server bietet hier keine Anmeldung an. Lassen Sie Benutzer und Passwort leer, oder wählen Sie eine Verschlüsselung.',
    'turned-away': 'Der Server will mit diesem hier nicht sprechen.',
    closed: 'Der Server hat die Verbindung beendet.',
  },
  /** Where they are others without a provider. */
  directTroubles: {
    'host-unknown':
      'Der Name dieses Rechners führt nirgendwohin: Im DNS steht keine Adresse (A-Eintrag) dazu. Ist er richtig geschrieben?',
    dns: 'Namen ließen sich nicht nachschlagen: Der Nameserver dieses Rechners antwortet nicht oder falsch.',
    'no-answer':
      'An Port 25 antwortet kein Mailserver. Viele Hoster sperren ihn, bis Sie um Freigabe bitten. Senden Sie sonst über einen Anbieter.',
    'turned-away':
      'Ein großer Empfänger will mit diesem Rechner nicht sprechen. Vielleicht steht seine Adresse auf einer Sperrliste.',
  },
  /** Results of a test that may keep mail from arriving. */
  directWarnings: {
    'leads-elsewhere':
      'Der Name führt zu einer anderen Adresse als der, die Empfänger sehen. Berichtigen Sie seinen A-Eintrag, oder nehmen Sie einen anderen Namen.',
    'no-reverse':
      'Der Reverse-Eintrag (PTR) der Adresse nennt diesen Rechner nicht; viele Empfänger lehnen seine Mails deshalb ab. Den Eintrag setzt Ihr Hoster.',
  },
  save: 'Testen und speichern',
  outrun:
    'Sie haben während des Tests etwas geändert: Sein Ergebnis gilt nicht mehr, und gespeichert wurde nichts. Testen Sie noch einmal.',
  saveAnyway: 'Trotzdem speichern',
  outbox:
    'Noch kein Mailserver: Mails werden in einen Ordner dieses Servers geschrieben und erreichen niemanden. Richten Sie einen ein, um zu versenden.',
  setBy: (place) =>
    `Wie Mails diesen Server verlassen, ist dort eingestellt, wo er gestartet wird (${place}), und das geht vor. Mailserver, die Sie hier anlegen, werden genutzt, sobald es dort entfernt ist.`,
  setByCode: 'Die App um diesen Server bestimmt, wie Mails ihn verlassen.',
  code: 'die App um ihn herum',
  /** Which way the mail of the project goes. */
  ways: {
    installation:
      'Dieses Projekt benutzt keinen eigenen Mailserver: Seine Mails gehen durch die Mailserver dieser Installation.',
    folder:
      'Kein Mailserver ist eingerichtet: Mails dieses Projekts landen in einem Ordner dieses Servers, und niemand bekommt sie. Fügen Sie einen hinzu, um wirklich zu senden.',
    nowhere: 'Dieses Projekt hat keinen Mailserver: Seine Mails warten, bis es einen gibt.',
  },
  forbidden: 'Wer diesen Server betreibt, erlaubt Projekten keine eigenen Mailserver.',
  removeOwnHint:
    'Auch sein Passwort wird gelöscht. Ohne einen anderen gehen Mails durch die Mailserver dieser Installation, oder sie warten, wo es keine gibt.',
  ownHint:
    'Sie nehmen die Mails dieses Projekts und keines anderen, vor denen dieser Installation. Mails gehen durch den ersten, der sie annimmt, und durch den nächsten, solange einer ausfällt.',
  addAnother: 'Weiteren Mailserver anlegen',
  sealed: 'Passwörter sind mit dem Geheimnis dieses Servers (SECRET) verschlüsselt gespeichert.',
  sealedBeside:
    'Passwörter sind verschlüsselt gespeichert. Da dieser Server kein eigenes Geheimnis (SECRET) hat, liegt der Schlüssel in derselben Datenbank.',
  use: (name) => `Über ${name} senden`,
  up: (name) => `${name} früher nutzen`,
  edit: (name) => `${name} ändern`,
  remove: (name) => `${name} löschen`,
  removeTitle: (name) => `${name} löschen?`,
  removeHint:
    'Auch sein Passwort wird gelöscht. Ohne Mailserver werden Mails in einen Ordner geschrieben und erreichen niemanden.',
  removed: 'Gelöscht.',
  changed: 'Geändert. Es gilt sofort.',
  address: 'Öffentliche Adresse',
  addressHint:
    'Wo Leser diesen Server erreichen: Dorthin führen Abmeldelinks, Bilder und gezählte Klicks. Leer: die Adresse, an der er lauscht.',
  addressNow: (url) => `Links führen jetzt zu ${url}.`,
  addressLost:
    'Diese Adresse öffnet nur dieser Rechner selbst. Newsletter werden abgelehnt, bis Leser sich dort abmelden können.',
  addressSetBy: (url, place) =>
    `Links führen zu ${url}. Das ist dort eingestellt, wo der Server gestartet wird (${place}).`,
}
