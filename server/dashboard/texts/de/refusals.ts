import { type Rewordings, reworded } from '../reworded.ts'
import type { Texts } from '../types.ts'
import { liquid } from './liquid.ts'
import { stepRefusals } from './step-refusals.ts'

export const refusals: Texts['refusals'] = {
  byCode: {
    DOMAIN_NOT_VERIFIED: {
      message: 'Von dieser Adresse darf das Projekt noch nicht senden.',
      suggestion:
        'Empfänger vertrauen nur Mails einer Domain, die Sie dafür freigegeben haben. Fügen Sie die Domain der Adresse hinzu, wenn sie noch fehlt, und tragen Sie die angezeigten Einträge dort ein, wo die Domain verwaltet wird.',
    },
    VERSION_CONFLICT: { message: 'Jemand anderes hat das inzwischen geändert.' },
    PROJECT_NOT_FOUND: {
      message: 'Dieses Projekt gibt es nicht, oder Sie gehören nicht mehr dazu.',
      suggestion: 'Wenn Sie entfernt wurden, wenden Sie sich an einen Inhaber des Projekts.',
    },
    INVALID_SESSION: { message: 'Ihre Sitzung ist beendet.', suggestion: 'Melden Sie sich erneut an.' },
    PAYLOAD_TOO_LARGE: {
      message: 'Das ist zu groß.',
      suggestion:
        'Ein Bild oder eine CSV-Datei darf 5 MB haben, die Anhänge einer Mail zusammen 10 MB. Verkleinern Sie, was Sie hochladen.',
    },
    INTERNAL_SERVER_ERROR: {
      message: 'Auf dem Server ist etwas schiefgegangen.',
      suggestion:
        'Versuchen Sie es noch einmal. Geschieht es wieder, wenden Sie sich an die Person, die den Server betreibt.',
    },
  },
  sentence: (message, code) => {
    const known = reworded(message, SENTENCES)
    return known === message ? (BY_CODE[code] ?? 'Das hat der Server abgelehnt.') : known
  },
  problem: (message, code) => {
    const known = [liquid, stepRefusals, PROBLEMS].reduce<string>(reworded, message)
    return known === message && code !== undefined ? (BY_FIELD_CODE[code] ?? BY_FIELD_CODE.custom ?? known) : known
  },
  details: 'Einzelheiten (englisch)',
  sender:
    'Die Domain dieser Adresse gehört nicht zu den Domains des Projekts. Fügen Sie sie zuerst unter „Domains“ hinzu.',
  toDomains: 'Zu den Domains',
}

/** Refusals that are said in more ways than one, by their codes. */
const BY_CODE: Readonly<Record<string, string>> = {
  BAD_REQUEST: 'Die Anfrage ist unvollständig oder fehlerhaft.',
  INVALID_JSON: 'Das ist kein gültiges JSON.',
  INVALID_TOKEN: 'Dieser Link oder Code gilt nicht oder nicht mehr.',
  MISSING_AUTH: 'Sie sind nicht angemeldet.',
  INVALID_API_KEY: 'Dieser Schlüssel ist nicht gültig.',
  INVALID_SIGNATURE: 'Die Signatur stimmt nicht.',
  INVALID_CREDENTIALS: 'Die E-Mail-Adresse, das Passwort oder der Code ist falsch.',
  FORBIDDEN: 'Das dürfen Sie nicht.',
  PROJECT_DISABLED: 'Das Projekt ist gesperrt.',
  RESOURCE_NOT_FOUND: 'Das gibt es nicht oder nicht mehr.',
  PROJECT_NOT_FOUND: 'Dieses Projekt gibt es nicht oder nicht mehr.',
  CONTACT_NOT_FOUND: 'Diesen Kontakt gibt es nicht oder nicht mehr.',
  TEMPLATE_NOT_FOUND: 'Diese Vorlage gibt es nicht oder nicht mehr.',
  SNIPPET_NOT_FOUND: 'Diesen Baustein gibt es nicht oder nicht mehr.',
  LAYOUT_NOT_FOUND: 'Dieses Layout gibt es nicht oder nicht mehr.',
  TOPIC_NOT_FOUND: 'Dieses Thema gibt es nicht oder nicht mehr.',
  FORM_NOT_FOUND: 'Dieses Formular gibt es nicht oder nicht mehr.',
  SEGMENT_NOT_FOUND: 'Dieses Segment gibt es nicht oder nicht mehr.',
  CAMPAIGN_NOT_FOUND: 'Diese Kampagne gibt es nicht oder nicht mehr.',
  JOB_NOT_FOUND: 'Diesen Vorgang gibt es nicht oder nicht mehr.',
  WORKFLOW_NOT_FOUND: 'Diesen Workflow gibt es nicht oder nicht mehr.',
  STEP_NOT_FOUND: 'Diesen Schritt gibt es nicht oder nicht mehr.',
  TRANSITION_NOT_FOUND: 'Diese Verbindung gibt es nicht oder nicht mehr.',
  EXECUTION_NOT_FOUND: 'Diesen Durchlauf gibt es nicht oder nicht mehr.',
  WEBHOOK_NOT_FOUND: 'Diesen Webhook gibt es nicht oder nicht mehr.',
  DELIVERY_NOT_FOUND: 'Diese Anfrage gibt es nicht oder nicht mehr.',
  EMAIL_NOT_FOUND: 'Diese Mail gibt es nicht oder nicht mehr.',
  SUPPRESSION_NOT_FOUND: 'Diese Adresse ist nicht oder nicht mehr gesperrt.',
  DOMAIN_NOT_FOUND: 'Diese Domain gibt es nicht oder nicht mehr.',
  MEMBER_NOT_FOUND: 'Dieses Mitglied gibt es nicht oder nicht mehr.',
  KEY_NOT_FOUND: 'Diesen Schlüssel gibt es nicht oder nicht mehr.',
  INBOX_NOT_FOUND: 'Dieses Postfach gibt es nicht oder nicht mehr.',
  THREAD_NOT_FOUND: 'Diese Unterhaltung gibt es nicht oder nicht mehr.',
  DRAFT_NOT_FOUND: 'Diesen Entwurf gibt es nicht oder nicht mehr.',
  METHOD_NOT_ALLOWED: 'Das nimmt der Server an dieser Stelle nicht an.',
  CONFLICT: 'Das geht im jetzigen Zustand nicht.',
  ALREADY_USED: 'Das wurde schon benutzt.',
  IDEMPOTENCY_IN_PROGRESS: 'Dieselbe Anfrage wird gerade schon bearbeitet.',
  IDEMPOTENCY_KEY_REUSED: 'Diese Anfrage wurde schon einmal mit anderem Inhalt gestellt.',
  UNSUPPORTED_MEDIA_TYPE: 'Diese Art von Datei nimmt der Server nicht an.',
  VALIDATION_ERROR: 'Einige Angaben sind so nicht möglich.',
  RATE_LIMIT_EXCEEDED: 'Das waren zu viele Anfragen. Versuchen Sie es in einer Minute noch einmal.',
  QUOTA_EXCEEDED: 'Das Kontingent des Projekts ist aufgebraucht.',
  SERVICE_UNAVAILABLE: 'Das ist gerade nicht möglich. Versuchen Sie es gleich noch einmal.',
}

/** Problems with fields that are said in more ways than one, by their codes. */
const BY_FIELD_CODE: Readonly<Record<string, string>> = {
  required: 'Wird gebraucht.',
  invalid_type: 'Hat nicht die richtige Form.',
  invalid_string: 'Hat nicht die richtige Form.',
  invalid_enum_value: 'Ist keine der möglichen Angaben.',
  invalid_date: 'Muss ein Datum sein.',
  too_small: 'Ist zu klein oder zu kurz.',
  too_big: 'Ist zu groß oder zu lang.',
  reserved_event: 'Diesen Namen benutzt der Server selbst.',
  header_injection: 'Darf keine Zeilenumbrüche enthalten.',
  custom: 'Ist so nicht möglich.',
}

/** Whole refusals, the way on in them. */
const SENTENCES: Rewordings = [
  [
    'The rule (\\d+)(?: \\(.+\\))? of routing names the mail server (.+)\\.',
    'Die Regel $1 für den Weg der Mails nennt den Mailserver $2. Ändern Sie zuerst die Regel. Damit bis dahin nichts über ihn geht, schalten Sie ihn aus.',
  ],
  ['The code is wrong, or was used before\\.', 'Der Code ist falsch oder wurde schon benutzt.'],
  ['There is a mailbox for (\\S+) already\\.', 'Für $1 gibt es schon ein Postfach.'],
  ['There are (\\d+) mailboxes; remove one first\\.', 'Es gibt schon $1 Postfächer. Entfernen Sie zuerst eines.'],
  [
    'There were (\\d+) tests of the project within an hour\\.',
    'Das Projekt hat in der letzten Stunde schon $1 Tests gesendet.',
  ],
  ['The project has no mailboxes to send to\\.', 'Das Projekt hat noch keine Postfächer.'],
  ['The server answered (\\d+)\\.', 'Der Server hat mit Status $1 geantwortet.'],
  ['The assistant is off for the inbox "(.+)"\\.', 'Der Assistent ist für das Postfach „$1“ aus.'],
  ['The assistant is off: this server has none\\.', 'Der Assistent ist aus: Dieser Server hat keinen.'],
  ['There is nothing to answer: .*', 'Es gibt nichts zu beantworten: Keine neuere Nachricht kam von außen.'],
  [
    'The assistant may (?:be asked|use) .*',
    'Für heute ist der Assistent aufgebraucht. Um Mitternacht (UTC) beginnt der nächste Tag.',
  ],
  ['The assistant has answered something that cannot be used\\.', 'Der Assistent hat etwas Unbrauchbares geantwortet.'],
  ['The assistant has no (?:whole )?answer: .*', 'Der Assistent hat nicht richtig geantwortet.'],
  ['The report (.+) by (.+) on (\\S+) is here already\\.', 'Der Bericht $1 von $2 über $3 ist schon da.'],
  [
    'The workflow "(.+)" is enabled and could not run after this: .*',
    'Der Workflow „$1“ ist eingeschaltet und könnte so nicht mehr laufen. Schalten Sie ihn aus, während Sie ihn ändern.',
  ],
  ['The feed (.+) cannot be read: .*', 'Der Feed $1 lässt sich nicht lesen.'],
]

const NUMBER = '([\\d.,]+)'
const NO_ADDRESS = 'must be an e-mail address such as ada@example.com: '

/** The API's problems with fields, for those that people fill in. What is not here stays English. */
const PROBLEMS: Rewordings = [
  [
    'is required: the full name of this machine .*|must be the full name of this machine .*',
    'Muss der volle Name dieses Rechners im DNS sein, etwa mail.example.com.',
  ],
  [
    'must be left out without a provider: mail servers are reached at port 25',
    'Entfällt ohne Anbieter: Mailserver sind an Port 25 zu erreichen.',
  ],
  ['must be left out without a provider: there is no login', 'Entfällt ohne Anbieter: Es gibt keine Anmeldung.'],
  [
    'must be starttls or none without a provider: .*',
    'Ohne Anbieter gibt es nur „STARTTLS“ und „Notfalls keine“: Port 25 beginnt ohne TLS.',
  ],
  [
    'cannot be direct in a project: .*',
    'Ein Projekt kann nicht ohne Anbieter senden. Wer diesen Server betreibt, richtet das für die Installation ein und kann die Mails des Projekts dorthin leiten.',
  ],
  ['is not the name of a transport: (\\S+) .*', 'Diesen Transport gibt es nicht: $1.'],
  [
    'is not a mail server that this project may name: it may name (.+)\\. Without it, .*',
    'Diesen Mailserver darf das Projekt nicht wählen. Es gibt $1; ohne ihn gehen Mails den üblichen Weg.',
  ],
  [
    'is not a mail server that this project may name, .*',
    'Das Projekt darf keinen Mailserver wählen: Lassen Sie die Angabe weg, dann gehen Mails den üblichen Weg.',
  ],
  [
    'is (.+), which is gone, or which this project may not name any more: .*',
    '„$1“ gibt es nicht mehr, oder das Projekt darf ihn nicht mehr wählen: Mails gehen den üblichen Weg.',
  ],
  ['goes round in a circle: .*', 'Das ginge im Kreis. Nennen Sie jeden Transport einer Regel nur einmal.'],
  ['must be a day such as (\\S+), or a moment such as (\\S+)', 'Muss ein Tag wie $1 oder ein Zeitpunkt wie $2 sein.'],
  [
    'must be a number from ([\\d.]+) to 100: the percentage of the first day',
    'Am ersten Tag: eine Zahl von $1 bis 100.',
  ],
  [
    'must be a number from ([\\d.]+) to 100: the percentage points more .*',
    'Jeden Tag mehr: eine Zahl von $1 bis 100.',
  ],
  [
    'must be a number from ([\\d.]+) to 100: the percentage of refusals .*',
    'Anteil der Ablehnungen, ab dem die Umstellung zurückgenommen wird: eine Zahl von $1 bis 100.',
  ],
  ['is needed beside ramp: .*', 'Wird für die Umstellung gebraucht: Was abgelehnt wird, zählt unter diesem Namen.'],
  ['needs a fallback: .*', 'Dafür braucht die Regel einen Ersatz.'],
  [
    'must be more than 0, at most a million; .*',
    'Jeder Anteil muss größer als 0 sein, höchstens eine Million. Ein Transport ohne Anteil steht nur unter Ersatz.',
  ],
  ['is not the id of a project', 'Dieses Projekt gibt es nicht mehr.'],
  ['must be the id of a template', 'Muss die ID einer Vorlage sein.'],
  [
    `must have at most ${NUMBER} rules: .*`,
    'Mehr als $1 Regeln gehen hier nicht. Weitere kommen in die Konfiguration, unter delivery.routes.',
  ],
  ['is not the name of a header field, .*', 'Das ist kein Name einer Kopfzeile.'],
  ['is there twice: .*', 'Das steht zweimal da: Groß und klein geschrieben ist es dasselbe.'],
  ['is the name of (?:rules|delivery)\\S+, too', 'So heißt schon eine andere Regel.'],
  [
    'can never decide: .*',
    'Kann nie entscheiden, da eine Regel davor alle Mails nimmt, die hier passen. Stellen Sie sie nach oben, oder entfernen Sie sie.',
  ],
  [
    'must be a domain such as example\\.com, or .*',
    'Muss eine Domain sein wie example.com, oder *.example.com für alle darunter.',
  ],
  ['is an empty list, which no mail fits: .*', 'Dazu passt keine Mail: Nennen Sie einen Wert.'],
  [
    '(?:does not work: )?the server refuses the login.*',
    'Der Server lehnt die Anmeldung ab: Benutzer oder Passwort stimmen nicht.',
  ],
  ['does not work: (.+)', 'Das Postfach ist so nicht zu erreichen ($1).'],
  ['it did not answer in time', 'Der Server hat nicht rechtzeitig geantwortet.'],
  ['the server refuses: (.+)', 'Der Server lehnt das ab: $1'],
  ['the mailbox was removed from the list', 'Das Postfach steht nicht mehr in der Liste.'],
  ['it has no record', 'Die Mail ist nicht gespeichert.'],
  ['it still waits to be sent', 'Die Mail wartet noch darauf, gesendet zu werden.'],
  [
    'its password cannot be read, .*',
    'Das Passwort ist nicht mehr lesbar, weil sich SECRET geändert hat: Fügen Sie das Postfach neu hinzu.',
  ],
  ['is neither a DMARC report .*', 'Das ist weder ein DMARC-Bericht (XML) noch ein TLS-Bericht (JSON).'],
  [
    'is no file of Google Postmaster Tools or Microsoft SNDS .*: its first row is (.*)',
    'Das ist keine bekannte Datei von Google Postmaster Tools oder Microsoft SNDS. Ihre erste Zeile ist: $1',
  ],
  ['has no day in row (\\d+): "(.*)"', 'In Zeile $1 steht kein Tag, sondern „$2“.'],
  ['has no (?:IP address|two IP addresses) at the start of row (\\d+)', 'Zeile $1 beginnt nicht mit einer IP-Adresse.'],
  ['has no (?:number|filter result) in row (\\d+).*: "(.*)".*', 'In Zeile $1 ist „$2“ an dieser Stelle nicht möglich.'],
  ['has "(.*)" in row (\\d+), column "(.*)", which is no .*', 'In Zeile $2 ist „$1“ in der Spalte „$3“ nicht möglich.'],
  ['has more than 100 % in row (\\d+), column "(.*)"', 'In Zeile $1 stehen in der Spalte „$2“ mehr als 100 %.'],
  ['has figures of (\\S+), a day in the future', 'Die Datei hat Zahlen vom $1, und der Tag kommt erst noch.'],
  ['has more than (\\d+) (?:rows|figures); .*', 'Die Datei ist zu lang. Laden Sie weniger Tage auf einmal hoch.'],
  ['has no figures', 'In der Datei stehen keine Zahlen.'],
  ['is no (DMARC|TLS) report: .*', 'Das ist kein $1-Bericht.'],
  ['is a report on (\\S+), and says nothing of (\\S+)', 'Das ist ein Bericht über $1. Über $2 sagt er nichts.'],
  ['is (?:a gzip file|XML|JSON) that is damaged or cut off', 'Die Datei ist beschädigt oder unvollständig.'],
  ['is a zip file that is damaged.*', 'Die ZIP-Datei ist beschädigt, unvollständig oder mit einem Passwort gesperrt.'],
  [
    'is a zip file with several files: .*',
    'In der ZIP-Datei sind mehrere Dateien: Entpacken Sie sie, und fügen Sie jede einzeln hinzu.',
  ],
  [
    'is a mail of more than 1 MB: .*',
    'Die Mail hat mehr als 1 MB: Speichern Sie den Bericht daraus, und fügen Sie ihn als Datei hinzu.',
  ],
  ['is a mail with several reports: .*', 'In der Mail sind mehrere Berichte: Fügen Sie jeden einzeln hinzu.'],
  ['is a zip file without a file', 'In der ZIP-Datei ist keine Datei.'],
  ['is packed too many times', 'Die Datei ist zu oft gepackt.'],
  ['has more than 16 MB when it is unpacked', 'Die Datei hat entpackt mehr als 16 MB.'],
  [
    'has no record with an address and a number of messages',
    'In keinem Eintrag stehen eine IP-Adresse und eine Zahl von Mails.',
  ],
  ['is XML with a document type, .*', 'Die Datei nennt einen Dokumenttyp (DOCTYPE), und das tut kein Bericht.'],
  ['is a (?:DMARC|TLS) report without a valid domain', 'In dem Bericht steht keine gültige Domain.'],
  ['is a report on a time that is to come', 'Der Bericht gilt für eine Zeit, die noch kommt.'],
  ['is a report on more than 40 days', 'Der Bericht gilt für mehr als 40 Tage.'],
  [
    'is a report whose time range .*',
    'In dem Bericht fehlt die Zeit, für die er gilt, oder sie endet, bevor sie beginnt.',
  ],
  ['counts more than a receiver can have seen', 'Der Bericht zählt mehr, als ein Empfänger gesehen haben kann.'],
  ['the step "(.+)" has no step after it', 'Nach dem Start kommt noch kein Schritt.'],
  ['the step "(.+)" has no branch', 'Der Schritt „$1“ hat keinen Zweig.'],
  ['the step "(.+)" names a template that is not there', 'Die Vorlage des Schritts „$1“ gibt es nicht mehr.'],
  ['the step "(.+)" needs a template, or a subject and a body', 'Der Schritt „$1“ braucht eine Vorlage.'],
  [
    'the step "(.+)" needs a sender: .*',
    'Der Schritt „$1“ hat keinen Absender: Weder seine Vorlage noch das Projekt nennt einen.',
  ],
  [
    'the step "(.+)" cannot send from (\\S+): The domain (\\S+) is not verified for this project\\.',
    'Der Schritt „$1“ kann nicht von $2 senden: Die Domain $3 ist noch nicht bestätigt.',
  ],
  ['the step "(.+)" cannot run: (.+)', 'Der Schritt „$1“ kann so nicht laufen („$2“).'],
  ['is required without field: a time of day .*', 'Wird gebraucht, zum Beispiel 09:00.'],
  ['is required(?: (?:when|for|with) .*|: .*)?', 'Wird gebraucht.'],
  ['must have at least 1 character', 'Darf nicht leer sein.'],
  ['must not be empty', 'Darf nicht leer sein.'],
  ['names no segment of this project', 'Dieses Segment gibt es nicht mehr.'],
  ['names no campaign of this project', 'Diese Kampagne gibt es nicht mehr.'],
  ['names no topic of this project; .*', 'Dieses Thema gibt es nicht mehr.'],
  ['must have at least 1 character; .*', 'Der Wert fehlt.'],
  [`must have at least ${NUMBER} characters?`, 'Muss mindestens $1 Zeichen haben.'],
  [`must have at most ${NUMBER} values`, 'Darf höchstens $1 Werte haben.'],
  [`must have at most ${NUMBER} characters?`, 'Darf höchstens $1 Zeichen haben.'],
  ['must have at least 1 (?:item|value)', 'Braucht mindestens einen Eintrag.'],
  [`must be at least ${NUMBER}`, 'Muss mindestens $1 sein.'],
  [`must be at most ${NUMBER}`, 'Darf höchstens $1 sein.'],
  [`must be at most ${NUMBER} (KB|MB)`, 'Darf höchstens $1 $2 groß sein.'],
  [`must be at most ${NUMBER} days(?:, in seconds)?`, 'Darf höchstens $1 Tage lang sein.'],
  [`must be at most ${NUMBER} days ahead`, 'Darf höchstens $1 Tage in der Zukunft liegen.'],
  ['must be a whole number(?: of hours)?', 'Muss eine ganze Zahl sein.'],
  [
    'must be a number, or the column needs a format: .*',
    'Muss eine Zahl sein; wählen Sie, welches Zeichen die Nachkommastellen trennt.',
  ],
  [
    'must be a date such as .*, or the column needs a format: .*',
    'Muss ein Datum sein; wählen Sie, ob Tag oder Monat zuerst steht.',
  ],
  ['must be a date such as .*', 'Muss ein Datum sein.'],
  ['must be true or false', 'Muss wahr oder falsch sein: true oder false.'],
  ['ends with a dot; .*', 'Endet mit einem Punkt.'],
  ['has .* cells, the header has .*', 'Hat mehr Zellen als die Kopfzeile.'],
  ['must be a number', 'Muss eine Zahl sein.'],
  ['must be greater than 0', 'Muss größer als 0 sein.'],
  ['must be in the future', 'Muss in der Zukunft liegen.'],
  ['must not be in the past', 'Darf nicht in der Vergangenheit liegen.'],
  ['must not contain line breaks or NUL', 'Darf keine Zeilenumbrüche enthalten.'],
  [`${NO_ADDRESS}it has no @`, 'Keine E-Mail-Adresse: Das „@“ fehlt.'],
  [`${NO_ADDRESS}it has nothing before the @`, 'Keine E-Mail-Adresse: Vor dem „@“ steht nichts.'],
  [`${NO_ADDRESS}it has nothing after the @`, 'Keine E-Mail-Adresse: Nach dem „@“ steht nichts.'],
  [`${NO_ADDRESS}it has a space in it`, 'Keine E-Mail-Adresse: Sie enthält ein Leerzeichen.'],
  [`${NO_ADDRESS}it has more than one @`, 'Keine E-Mail-Adresse: Sie hat mehr als ein „@“.'],
  [
    `${NO_ADDRESS}it has "(.+)" before the @.*`,
    'Keine E-Mail-Adresse: Vor dem „@“ steht „$1“, das Mailserver dort nicht annehmen.',
  ],
  [`${NO_ADDRESS}it has two dots in a row`, 'Keine E-Mail-Adresse: Zwei Punkte stehen hintereinander.'],
  [
    `${NO_ADDRESS}it has a dot at the beginning.*`,
    'Keine E-Mail-Adresse: Ein Punkt steht am Anfang oder direkt vor dem „@“.',
  ],
  [
    `${NO_ADDRESS}it has a dot right after the @.*`,
    'Keine E-Mail-Adresse: Ein Punkt steht direkt nach dem „@“ oder am Ende.',
  ],
  [
    `${NO_ADDRESS}it has a comma after the @.*`,
    'Keine E-Mail-Adresse: Nach dem „@“ steht ein Komma statt eines Punkts.',
  ],
  [
    `${NO_ADDRESS}it has no dot after the @.*`,
    'Keine E-Mail-Adresse: Nach dem „@“ fehlt der Punkt wie in example.com.',
  ],
  [`${NO_ADDRESS}it is too long`, 'Keine E-Mail-Adresse: Sie ist zu lang.'],
  [
    `${NO_ADDRESS}it has "(.+)" after the @`,
    'Keine E-Mail-Adresse: Nach dem „@“ steht „$1“, das dort nicht erlaubt ist.',
  ],
  [
    `${NO_ADDRESS}it has a hyphen.*`,
    'Keine E-Mail-Adresse: Ein Bindestrich steht neben einem Punkt oder am Rand der Domain.',
  ],
  [`${NO_ADDRESS}its domain ends with a number`, 'Keine E-Mail-Adresse: Die Domain endet mit einer Zahl.'],
  [`${NO_ADDRESS}its domain is none`, 'Keine E-Mail-Adresse: Nach dem „@“ steht keine Domain.'],
  [
    '(?:email: )?holds more than one address; .*',
    'Die Zelle enthält mehr als eine Adresse; ein Kontakt hat eine: Geben Sie jeder eine Zeile.',
  ],
  ['must be an? (?:e-mail address|text with an @).*', 'Muss eine E-Mail-Adresse wie ada@example.com sein.'],
  ['must have an @ between .*', 'Muss eine E-Mail-Adresse wie ada@example.com sein.'],
  [
    'must be an address such as ada@example.com, or a domain such as example.com',
    'Muss eine Adresse wie ada@example.com oder eine Domain wie example.com sein.',
  ],
  ['must be a domain name such as example.com.*', 'Muss ein Domainname wie example.com sein, ohne „@“ und „https://“.'],
  ['must be a domain that can be registered.*', 'Muss eine Domain sein, die man registrieren kann.'],
  ['must be a colou?r such as .*', 'Muss eine Farbe wie #0b7285 sein.'],
  ['must be an? (?:http or )?https(?: or http)? URL.*', 'Muss eine Adresse sein, die mit https:// beginnt.'],
  ['must begin with http:// or https://', 'Muss mit http:// oder https:// beginnen.'],
  [
    'must be the origin of your pages, .*',
    'Muss der Anfang der Adresse Ihrer Seiten sein, mit https:// und ohne Pfad: https://www.example.com. Für alle Subdomains: https://*.example.com.',
  ],
  [
    'must lead to one of (?:the )?origins.*',
    'Muss unter einer der Adressen Ihrer Seiten liegen: Tragen Sie deren Anfang dort ein.',
  ],
  ['must have at least one answer to choose', 'Braucht mindestens eine Antwort zur Auswahl.'],
  ['is wrong', 'Ist falsch.'],
  ['is wrong, or was used before', 'Ist falsch oder wurde schon benutzt. Nehmen Sie den nächsten Code.'],
  ['must be a time of day .*', 'Muss eine Uhrzeit wie 09:00 sein.'],
  ['must be the name of a time zone such as .*', 'Muss eine Zeitzone wie Europe/Berlin sein.'],
  ['must not be before startDate', 'Darf nicht vor dem Anfang liegen.'],
  ['must be after startDate', 'Muss nach dem Anfang liegen.'],
  ['must be after scheduledFor', 'Muss nach der Zeit des Versands liegen.'],
  [`must be at most ${NUMBER} days before endDate`, 'Darf höchstens $1 Tage vor dem Ende liegen.'],
  ['must be an http or https address such as .*', 'Muss eine Adresse wie https://mail.example.com sein.'],
  ['must have at most two decimals', 'Darf höchstens zwei Nachkommastellen haben.'],
  ['names no topic of this project', 'Dieses Thema gibt es im Projekt nicht.'],
  ['must be a URL', 'Muss eine Adresse wie https://example.com sein.'],
  [
    'must have lower-case letters, digits and single hyphens only.*',
    'Darf nur Kleinbuchstaben, Ziffern und einzelne Bindestriche haben, etwa rechtlicher-hinweis.',
  ],
  [
    'is not a CSV file: it holds bytes that are no text',
    'Die Datei ist keine CSV-Datei: Sie enthält Bytes, die kein Text sind.',
  ],
  [
    'is in an encoding that is neither UTF-8 nor Windows-1252, .*',
    'Die Datei ist weder in UTF-8 noch in Windows-1252, und ihre Buchstaben würden falsch gelesen: Speichern Sie sie als UTF-8 (in Excel „CSV UTF-8“) und wählen Sie diese Datei, oder geben Sie ihren Zeichensatz an.',
  ],
  [
    'is a workbook, not a CSV file: .*',
    'Die Datei ist eine Arbeitsmappe, keine CSV-Datei: Öffnen Sie sie in Ihrer Tabellenkalkulation, speichern Sie sie als CSV (in Excel „CSV UTF-8“) und wählen Sie diese Datei.',
  ],
  [
    'is a ZIP archive, not a CSV file: .*',
    'Die Datei ist ein ZIP-Archiv, keine CSV-Datei: Entpacken Sie es und wählen Sie die CSV-Datei darin.',
  ],
  [
    'has no names of columns in its first row, but an address \\("(.*)"\\): .*',
    'In der ersten Zeile stehen keine Spaltennamen, sondern eine Adresse („$1“): Setzen Sie darüber eine Zeile, die jede Spalte benennt, etwa email.',
  ],
  ['is not a header field name', 'Ist kein Name einer Kopfzeile: Er hat nur Buchstaben, Ziffern und Bindestriche.'],
  ['is set by the service and cannot be given here', 'Wird von selbst gesetzt und kann hier nicht angegeben werden.'],
  ['is given already: .*', 'Gibt es schon: Groß und klein macht keinen Unterschied.'],
  [`must have at most ${NUMBER} fields`, 'Darf höchstens $1 Felder haben.'],
  ['is empty', 'Ist leer.'],
  ['is not a contact of this project', 'Ist kein Kontakt dieses Projekts.'],
  ['holds bytes that are no text in .*', 'Enthält Bytes, die in der Kodierung dieser Datei kein Text sind.'],
  [`has ${NUMBER} characters; .*`, 'Hat $1 Zeichen; das ist zu lang.'],
  [`has more than ${NUMBER} characters`, 'Hat mehr als $1 Zeichen.'],
  ['there is no topic (.+)', 'Es gibt kein Thema $1.'],
  ['must be true, 1, yes, false, 0 or no', 'Muss ja oder nein sein: true, 1, yes, false, 0 oder no.'],
  ['must not contain NUL', 'Darf kein NUL-Zeichen enthalten.'],
  [
    'must be the name of a mail exchanger.*',
    'Muss der Name eines empfangenden Servers sein, wie mx.example.com, oder *.example.com für alle direkt darunter.',
  ],
  [
    'must name the mail exchangers: (\\S+) has no MX record.*',
    'Nennen Sie die empfangenden Server: $1 hat keinen MX-Eintrag.',
  ],
  [
    'needs a public URL with a host name.*',
    'Braucht eine öffentliche Adresse mit einem Hostnamen: server.publicUrl (PUBLIC_URL).',
  ],
  ['must be one of:? (.+)', 'Muss eines davon sein: $1'],
]
