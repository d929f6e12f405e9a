import { describe, expect, it } from 'vitest'
import { parseReport } from '../../core/bounces/parse/parse-report.ts'
import { REPLIES } from '../support/replies.ts'

/** A report as a mail system writes it: whom it is from, its subject, its text, and what it must be taken for. */
interface Style {
  readonly system: string
  readonly from?: string
  readonly subject?: string
  /** Further fields of the header. */
  readonly fields?: readonly string[]
  readonly text: string
  /** The fields of its delivery status (RFC 3464), beside the recipient and `failed`. */
  readonly status?: readonly string[]
  /** The class, `delayed`, or `no bounce`. */
  readonly is: 'permanent' | 'transient' | 'policy' | 'unknown' | 'delayed' | 'no bounce'
  /** How the reason begins that is kept. */
  readonly says?: string
  /** The null sender, if nothing is given. */
  readonly sender?: string
}

const ADA = 'ada@example.org'
const DAEMON = 'Mail Delivery Subsystem <MAILER-DAEMON@mx.example.net>'

function written({ from = DAEMON, subject = 'Delivery failure', fields = [], text, status }: Style): Buffer {
  const head = [`From: ${from}`, `Subject: ${subject}`, 'To: b+news@acme.example', ...fields, 'MIME-Version: 1.0']
  const words = ['Content-Type: text/plain; charset=utf-8', '', text]
  if (status === undefined) return Buffer.from([...head, ...words].join('\r\n'))
  return Buffer.from(
    [
      ...[...head, 'Content-Type: multipart/report; report-type=delivery-status; boundary=x', '', '--x'],
      ...[...words, '--x', 'Content-Type: message/delivery-status', '', 'Reporting-MTA: dns; mx.example.net', ''],
      ...[`Final-Recipient: rfc822; ${ADA}`, 'Action: failed', ...status, '', '--x--', ''],
    ].join('\r\n'),
  )
}

const GOOGLE = `Delivery to the following recipient failed permanently:\n\n     ${ADA}\n\nTechnical details of permanent failure:\nGoogle tried to deliver your message, but it was rejected by the server for the recipient domain example.org by mx.example.org. [192.0.2.1].\n\nThe error that the other server returned was:\n`

const GONE: readonly Style[] = [
  {
    system: 'qmail',
    text: `Hi. This is the qmail-send program at mx.example.net.\nI'm afraid I wasn't able to deliver your message to the following addresses.\nThis is a permanent error; I've given up. Sorry it didn't work out.\n\n<${ADA}>:\nSorry, no mailbox here by that name. vpopmail (#5.1.1)\n\n--- Below this line is a copy of the message.\n\nReturn-Path: <x@acme.example>`,
    is: 'permanent',
    says: 'Sorry, no mailbox here by that name.',
  },
  {
    system: 'Exim, a recipient rejected with a clear code',
    text: `This message was created automatically by mail delivery software.\n\nA message that you sent could not be delivered to one or more of its\nrecipients. This is a permanent error. The following address(es) failed:\n\n  ${ADA}\n    host mx.example.org [192.0.2.1]\n    SMTP error from remote mail server after RCPT TO:<${ADA}>:\n    550 5.1.1 <${ADA}>: Recipient rejected`,
    is: 'permanent',
    says: '550 5.1.1 <ada@example.org>: Recipient rejected',
  },
  {
    system: 'Sendmail',
    from: 'Mail Delivery Subsystem <MAILER-DAEMON>',
    subject: 'Returned mail: see transcript for details',
    text: `The original message was received at Thu, 1 Oct 2026 10:00:00 GMT\nfrom mx.acme.example [192.0.2.9]\n\n   ----- The following addresses had permanent fatal errors -----\n<${ADA}>\n    (reason: 550 5.1.1 <${ADA}>... User unknown)\n\n   ----- Transcript of session follows -----\n... while talking to mx.example.org.:\n>>> DATA\n<<< 550 5.1.1 <${ADA}>... User unknown\n550 5.1.1 <${ADA}>... User unknown\n<<< 503 5.0.0 Need RCPT (recipient)`,
    is: 'permanent',
    says: '550 5.1.1',
  },
  {
    system: 'Exchange 2003',
    from: 'System Administrator <postmaster@example.org>',
    subject: 'Undeliverable: News of May',
    text: `Your message\n\n  To:      bob@example.org\n  Subject: News of May\n  Sent:    Thu, 1 Oct 2026 10:00:00 +0100\n\ndid not reach the following recipient(s):\n\n${ADA} on Thu, 1 Oct 2026 10:00:05 +0100\n    The e-mail account does not exist at the organization this message was sent to.  Check the e-mail address, or contact the recipient directly to find out the correct address.\n    <mx.example.org #5.1.1>`,
    is: 'permanent',
    says: 'The e-mail account does not exist',
  },
  {
    system: 'Exchange 5.5',
    from: 'System Administrator <postmaster@example.org>',
    subject: 'Undeliverable: News of May',
    text: `Your message\n\n  To:      bob@example.org\n  Subject: News of May\n\ndid not reach the following recipient(s):\n\n${ADA} on Thu, 1 Oct 2026 10:00:05 +0100\n    The recipient name is not recognized\n\tThe MTS-ID of the original message is: c=de;a= ;p=acme;l=MX0\n    MSEXCH:IMS:Acme:Site:MX 0 (000C05A6) Unknown Recipient`,
    is: 'permanent',
  },
  {
    system: 'Exchange 2010 in German',
    from: 'Microsoft Outlook <MicrosoftExchange329e71ec88ae4615bbc36ab6ce41109e@example.org>',
    subject: 'Unzustellbar: News im Mai',
    text: `Fehler bei der Nachrichtenzustellung an folgende Empfänger oder Verteilerlisten:\n\n${ADA}\nDie eingegebene E-Mail-Adresse konnte nicht gefunden werden. Überprüfen Sie die E-Mail-Adresse, und versuchen Sie, die Nachricht erneut zu senden.`,
    is: 'permanent',
    says: 'Die eingegebene E-Mail-Adresse konnte nicht gefunden werden.',
  },
  {
    system: 'Microsoft 365 in French',
    from: 'postmaster@example.org',
    subject: 'Non remis : Nouvelles de mai',
    text: `Votre message à ${ADA} n’a pas pu être remis.\n\nada est introuvable sur example.org.\n\nPourquoi ? L’adresse n’existe peut-être plus.`,
    is: 'permanent',
  },
  {
    system: 'Microsoft 365 in Turkish',
    from: 'postmaster@example.org',
    subject: 'Teslim edilemedi: Haberler',
    text: `${ADA} adresine gönderdiğiniz ileti teslim edilemedi.\n\nada, example.org konumunda bulunamadı.`,
    is: 'permanent',
  },
  {
    system: 'Microsoft 365 in Swedish',
    from: 'postmaster@example.org',
    subject: 'Går inte att leverera: Nyheter',
    text: `Ditt meddelande till ${ADA} kunde inte levereras.\n\nDet gick inte att hitta ada på example.org.`,
    is: 'permanent',
  },
  {
    system: 'Microsoft 365 in Spanish',
    from: 'postmaster@example.org',
    subject: 'No se puede entregar: Noticias',
    text: `No se pudo entregar el mensaje a ${ADA}.\n\nNo se encontró a ada en example.org.`,
    is: 'permanent',
  },
  {
    system: 'Microsoft 365, its diagnostics in Portuguese',
    from: 'postmaster@example.org',
    subject: 'Não foi possível entregar: Novidades',
    text: `Não foi possível entregar a mensagem a ${ADA}.\nada não foi encontrado em example.org.`,
    status: ['Status: 5.1.10', 'Diagnostic-Code: smtp;550 5.1.10 RESOLVER.ADR.RecipientNotFound; not found'],
    is: 'permanent',
  },
  {
    system: 'Gmail',
    from: 'Mail Delivery Subsystem <mailer-daemon@googlemail.com>',
    subject: 'Delivery Status Notification (Failure)',
    text: `** Address not found **\n\nYour message wasn't delivered to ${ADA} because the address couldn't be found, or is unable to receive mail.\n\nThe response from the remote server was:\n550 5.1.1 The email account that you tried to reach does not exist.`,
    is: 'permanent',
    says: '550 5.1.1 The email account',
  },
  {
    system: 'Yahoo',
    from: 'MAILER-DAEMON@yahoo.com',
    subject: 'Failure Notice',
    text: `Sorry, we were unable to deliver your message to the following address.\n\n<${ADA}>:\n554: 554 delivery error: dd This user doesn't have an example.org account (${ADA}) [0] - mta1.mail.example.net`,
    is: 'permanent',
    says: '554',
  },
  {
    system: 'GMX',
    text: `This message was created automatically by mail delivery software.\n\nA message that you sent could not be delivered to one or more of its recipients.\nThe following addresses failed:\n\n<${ADA}>:\nRequested action not taken: mailbox unavailable\nFor explanation visit http://postmaster.example.net/error-messages`,
    is: 'permanent',
    says: 'Requested action not taken: mailbox unavailable',
  },
  {
    system: 'smail of T-Online',
    text: `|------------------------- Message log follows: -------------------------|\n no valid recipients were found for this message\n|------------------------- Failed addresses follow: ---------------------|\n <${ADA}> ... unknown host\n|------------------------- Message text follows: ------------------------|\nReceived: from x`,
    is: 'permanent',
  },
  {
    system: 'IronPort',
    from: 'Mail Delivery System <MAILER-DAEMON@gw.example.net>',
    text: `The following message to <${ADA}> was undeliverable.\nThe reason for the problem:\n5.1.0 - Unknown address error 550-'5.1.1 <${ADA}>: user unknown'\n\n--ABC`,
    is: 'permanent',
    says: '5.1.0 - Unknown address error',
  },
  {
    system: 'Domino',
    from: 'Postmaster@example.org',
    subject: 'DELIVERY FAILURE: User ada (ada@example.org) not listed in Domino Directory',
    text: `Your message\n\n  Subject: News of May\n\nwas not delivered to:\n\n  ${ADA}\n\nbecause:\n\n  User ada (${ADA}) not listed in Domino Directory`,
    is: 'permanent',
    says: 'User ada (ada@example.org) not listed',
  },
  {
    system: 'GroupWise',
    from: 'Mailer-Daemon@gw.example.org',
    subject: 'Message status - undeliverable',
    text: `The message that you sent was undeliverable to the following:\n\tada (${ADA} unknown user)`,
    is: 'permanent',
  },
  {
    system: 'MDaemon',
    from: 'MAILER-DAEMON@mx.example.net',
    subject: 'Permanent Delivery Failure',
    text: `The attached message had PERMANENT fatal delivery errors!\n\nFailed address: ${ADA}\n\n--- Session Transcript ---\n Thu 2026-10-01 10:00:00: Parsing message\n Thu 2026-10-01 10:00:01: --> RCPT To:<${ADA}>\n Thu 2026-10-01 10:00:01: <-- 550 <${ADA}>, Recipient unknown\n Thu 2026-10-01 10:00:01: --> QUIT\n--- End Transcript ---`,
    is: 'permanent',
    says: '550 <ada@example.org>, Recipient unknown',
  },
  {
    system: 'hMailServer',
    from: 'mailer-daemon@mx.example.net',
    subject: 'Message undeliverable: News of May',
    text: `Your message did not reach some or all of the intended recipients.\n\n   Sent: Thu, 1 Oct 2026 10:00:00 +0100\n   Subject: News of May\n\nThe following recipient(s) could not be reached:\n\n${ADA}\n   Error Type: SMTP\n   Remote server (192.0.2.1) issued an error.\n   hMailServer sent: RCPT TO:<${ADA}>\n   Remote server replied: 550 5.1.1 User unknown\n\n\nhMailServer`,
    is: 'permanent',
    says: '550 5.1.1 User unknown',
  },
  {
    system: 'hMailServer, of a domain',
    from: 'mailer-daemon@mx.example.net',
    subject: 'Message undeliverable',
    text: `Your message did not reach some or all of the intended recipients.\n\nThe following recipient(s) could not be reached:\n\n${ADA}\n   Error Type: SMTP\n   Error Description: No mail servers appear to exists for the recipient's address.\n   Additional information: Please check that you have not misspelled the recipient's email address.`,
    is: 'permanent',
  },
  {
    system: 'Courier',
    from: '"Courier mail server at mx.example.net" <@>',
    subject: 'NOTICE: mail delivery status.',
    text: `This is a delivery status notification from mx.example.net,\nrunning the Courier mail server, version 1.0.\n\n                            UNDELIVERABLE MAIL\n\nYour message to the following recipients cannot be delivered:\n\n<${ADA}>:\n    mx.example.org [192.0.2.1]:\n>>> RCPT TO:<${ADA}>\n<<< 550 User unknown.\n`,
    is: 'permanent',
    says: '550 User unknown.',
  },
  {
    system: 'OpenSMTPD, of a domain',
    text: `Hi!\n\nThis is the MAILER-DAEMON, please DO NOT REPLY to this email.\n\nAn error has occurred while attempting to deliver a message for\nthe following list of recipients:\n\n${ADA}: No MX found for domain\n\nBelow is a copy of the original message:`,
    is: 'permanent',
    says: 'No MX found for domain',
  },
  {
    system: 'Kerio',
    from: 'Mail Delivery System <postmaster@mx.example.net>',
    subject: 'Undeliverable mail',
    text: `This is the Kerio Connect mail server. Your message could not be delivered to:\n\n${ADA}\n  553 5.3.0 ${ADA}: No such user here`,
    is: 'permanent',
  },
  {
    system: 'QQ',
    from: 'PostMaster@qq.example',
    subject: '系统退信 / Undeliverable mail',
    text: `抱歉，您的邮件被退回来了……\n\n收件人（${ADA}）不存在，邮件无法送达。`,
    is: 'permanent',
    says: '收件人（ada@example.org）不存在',
  },
  {
    system: 'Naver',
    from: 'MAILER-DAEMON@naver.example',
    subject: '=?UTF-8?B?66mU7J28IOyghOyGoSDsi6TtjKg=?=',
    text: `보내신 메일이 전송되지 못했습니다.\n\n받는사람: ${ADA}\n사유: 존재하지 않는 메일 주소입니다. 수신자를 찾을 수 없습니다.`,
    is: 'permanent',
  },
  {
    system: 'au',
    from: 'Postmaster@ezweb.example',
    subject: 'Mail System Error - Returned Mail',
    text: `The user(s) account is disabled.\n\n<${ADA}>: 550 User unknown\n`,
    is: 'permanent',
  },
  {
    system: 'a Japanese provider',
    from: 'postmaster@softbank.example',
    subject: '=?UTF-8?B?6YCB5L+h44Ko44Op44O8?=',
    text: `次の宛先へのメールを配信できませんでした。\n\n${ADA}\n宛先のメールアドレスが見つかりませんでした。`,
    is: 'permanent',
  },
  {
    system: 'a mailbox that has run out, in Spanish',
    from: 'postmaster@correo.example',
    subject: 'Mensaje no entregado',
    text: `Su mensaje no pudo ser entregado a ${ADA}: la cuenta de correo ha caducado.`,
    is: 'permanent',
  },
  {
    system: 'Portuguese',
    from: 'postmaster@correio.example',
    subject: 'Mensagem devolvida',
    text: `A sua mensagem não pôde ser entregue.\n\n${ADA}: caixa postal inexistente`,
    is: 'permanent',
  },
  {
    system: 'Portuguese, of a domain',
    from: 'postmaster@correio.example',
    subject: 'Falha na entrega',
    text: `Falha na entrega para ${ADA}: domínio inexistente.`,
    is: 'permanent',
  },
  {
    system: 'Italian',
    from: 'postmaster@posta.example',
    subject: 'Mancata consegna',
    text: `Impossibile consegnare il messaggio a ${ADA}: l'utente non esiste o non è più attivo.`,
    is: 'permanent',
  },
  {
    system: 'Dutch',
    from: 'postmaster@post.example',
    subject: 'Bericht niet afgeleverd',
    text: `Uw bericht kon niet worden bezorgd bij ${ADA}.\nHet e-mailadres bestaat niet.`,
    is: 'permanent',
  },
  {
    system: 'Polish',
    from: 'postmaster@poczta.example',
    subject: 'Niedostarczona wiadomość',
    text: `Wiadomość nie została dostarczona do ${ADA}.\nPodany adres nie istnieje.`,
    is: 'permanent',
  },
  {
    system: 'Mail.ru in Russian',
    from: 'mailer-daemon@corp.example.ru',
    subject: 'Mail failure.',
    text: `Ваше сообщение не может быть доставлено.\n\n${ADA}\nтакого пользователя не существует`,
    is: 'permanent',
  },
  {
    system: 'a postmaster that calls itself automatic',
    from: 'Postmaster <postmaster@example.org>',
    subject: 'Your mail to ada',
    fields: ['Auto-Submitted: auto-replied'],
    text: `Your message to ${ADA} was refused.\nReason: mx.example.org returned: 550 mailbox unavailable`,
    is: 'permanent',
    says: '550 mailbox unavailable',
  },
  {
    system: 'a local delivery that calls itself automatic',
    from: 'Mail System <noreply@example.org>',
    subject: 'Mail could not be delivered',
    fields: ['Auto-Submitted: auto-replied', 'Precedence: auto_reply'],
    text: `The following address(es) failed:\n\n  ${ADA}\n    user not found`,
    is: 'permanent',
    says: 'user not found',
  },
  {
    system: 'an author that is no known daemon',
    from: 'support@host.example',
    subject: 'Undeliverable: News of May',
    text: `We could not deliver your mail to ${ADA}\n[SMTP Error Code 550] no such user here`,
    is: 'permanent',
  },
  {
    system: 'a gateway, of a name with = before it',
    from: 'postmaster@gw.example',
    subject: 'Undeliverable message',
    text: `Delivery has failed.\n\nsmtp=${ADA}\n  Unknown recipient`,
    is: 'permanent',
  },
  {
    system: 'RFC 5248',
    text: '',
    status: ['Status: 5.7.13', 'Diagnostic-Code: smtp; 525 5.7.13 User account disabled'],
    is: 'permanent',
  },
  {
    system: 'a command that it repeats',
    text: '',
    status: ['Status: 5.0.0', `Diagnostic-Code: smtp; 550 RCPT TO:<${ADA}> does not exist`],
    is: 'permanent',
  },
  {
    system: 'a keyword',
    text: '',
    status: ['Status: 5.0.0', 'Diagnostic-Code: smtp; 550 5.7.1 BAD_RECIPIENT'],
    is: 'permanent',
  },
  {
    system: 'Lotus',
    text: '',
    status: ['Status: 5.0.0', `Diagnostic-Code: X-Notes; Recipient ${ADA} has no final delivery point`],
    is: 'permanent',
  },
  {
    system: 'Sendmail, which calls itself automatic',
    subject: 'Returned mail: see transcript for details',
    fields: ['Auto-Submitted: auto-generated (failure)'],
    text: `<${ADA}>: user unknown`,
    is: 'permanent',
  },
  {
    system: 'a reason before a list of others',
    text: `The user ${ADA} does not exist.\n\nOther possible causes:\n\n- The mailbox is full.`,
    status: ['Status: 5.0.0'],
    is: 'permanent',
  },
  { system: 'Gmail in its old words', text: `${GOOGLE}Sorry, no mailbox here by that name.`, is: 'permanent' },
  {
    system: 'Sun, words beside a code that says something else',
    text: '',
    status: ['Status: 5.4.4 (Illegal host/domain name found)'],
    is: 'permanent',
  },
  {
    system: 'Sendmail, its local mailer',
    text: `   ----- The following addresses had permanent fatal errors -----\n<${ADA}>\n\n   ----- Transcript of session follows -----\nmail.local: unknown user: ada\n554 <${ADA}>... Service unavailable`,
    status: ['Status: 5.5.0'],
    is: 'permanent',
  },
  {
    system: 'whom to ask, before the address that failed',
    text: `Your mail could not be delivered. For assistance, please contact <help@mx.example.net>.\n\nNo such user at this host: ${ADA}`,
    is: 'permanent',
  },
  {
    system: 'Domino in Japanese',
    text: '',
    status: [
      'Status: 5.0.0',
      `Diagnostic-Code: X-Notes; ユーザーAda (${ADA}) は Domino ディレクトリには見つかりません。`,
    ],
    is: 'permanent',
  },
  {
    system: 'UTF-8 in a delivery status',
    text: '',
    status: ['Status: 5.0.0', 'Diagnostic-Code: smtp; 550 Empfänger nicht bekannt'],
    is: 'permanent',
    says: '550 Empfänger nicht bekannt',
  },
]

const MAY_PASS: readonly Style[] = [
  {
    system: 'qmail',
    text: `<${ADA}>:\nSorry, I wasn't able to establish an SMTP connection. (#4.4.1)\nI'm not going to try again; this message has been in the queue too long.`,
    is: 'transient',
  },
  {
    system: 'qmail, a loop',
    text: `<${ADA}>:\nThis message is looping: it already has my Delivered-To line. (#5.4.6)`,
    is: 'transient',
  },
  {
    system: 'a list program that adds advice to a reply',
    from: 'list-owner@lists.example',
    subject: 'Undeliverable mail',
    text: `Your mail to ${ADA} came back:\n\n554 message is looping\n\nMost errors of this kind are due to incorrect addresses: the user does not exist any more.\nPlease remove unknown users from your list.`,
    is: 'transient',
    says: '554 message is looping',
  },
  {
    system: 'Exim',
    text: `The following address(es) failed:\n\n  ${ADA}\n    retry timeout exceeded`,
    is: 'transient',
    says: 'retry timeout exceeded',
  },
  {
    system: 'Exim, its own transport',
    text: `  ${ADA}\n    local delivery failed\n\nThe following text was generated during the delivery attempt:\n\nprocmail: Child process of virtual_delivery transport was terminated by signal 9`,
    is: 'transient',
  },
  {
    system: 'Sendmail, a program',
    text: `   ----- The following addresses had permanent fatal errors -----\n"|/usr/bin/vacation ada"\n    (expanded from: <${ADA}>)\n\n   ----- Transcript of session follows -----\n554 5.3.0 Command died with status 2: "/usr/bin/vacation ada"`,
    is: 'transient',
  },
  {
    system: 'Sendmail, five days',
    text: `   ----- The following addresses had permanent fatal errors -----\n<${ADA}>\n\n   ----- Transcript of session follows -----\n<${ADA}>... Deferred: Connection timed out with mx.example.org.\nMessage could not be delivered for 5 days\nMessage will be deleted from queue`,
    is: 'transient',
  },
  {
    system: 'Sendmail, a warning',
    subject: 'Warning: could not send message for past 4 hours',
    text: `    **********************************************\n    **      THIS IS A WARNING MESSAGE ONLY      **\n    **  YOU DO NOT NEED TO RESEND YOUR MESSAGE  **\n    **********************************************\n\n   ----- Transcript of session follows -----\n<${ADA}>... Deferred: Connection refused by mx.example.org.\nWarning: message still undelivered after 4 hours\nWill keep trying until message is 5 days old`,
    is: 'delayed',
  },
  {
    system: 'attempts that continue',
    subject: 'Delivery delayed',
    text: `Your message to ${ADA} has not been delivered yet: 451 try later.\nDelivery attempts will continue to be made for 5 days.`,
    is: 'delayed',
  },
  {
    system: 'Gmail, a warning',
    subject: 'Delivery Status Notification (Delay)',
    text: `** Delivery incomplete **\n\nThere was a temporary problem delivering your message to ${ADA}. Gmail will retry for 46 more hours. You'll be notified if the delivery fails permanently.`,
    is: 'delayed',
  },
  {
    system: 'Gmail, a full mailbox',
    from: 'Mail Delivery Subsystem <mailer-daemon@googlemail.com>',
    subject: 'Delivery Status Notification (Failure)',
    text: `** Recipient inbox full **\n\nYour message couldn't be delivered to ${ADA}. Their inbox is full, or it's getting too much mail right now.`,
    is: 'transient',
  },
  {
    system: 'Gmail, name servers',
    text: '',
    status: [
      'Status: 5.4.1',
      "Diagnostic-Code: smtp; DNS Error: DNS type 'mx' lookup of example.org responded with code SERVFAIL",
    ],
    is: 'transient',
  },
  {
    system: 'Postfix, name servers',
    text: `<${ADA}>: Name service error for name=example.org type=MX: Malformed or unexpected name server reply`,
    is: 'transient',
  },
  { system: 'Yahoo', text: `<${ADA}>:\nMail server for "example.org" unreachable for too long`, is: 'transient' },
  {
    system: '1&1',
    text: `A message that you sent could not be delivered to one or more of its recipients. The following address failed:\n\n"${ADA}":\nSMTP error from remote server for TEXT command, host: mx.example.org (192.0.2.1) reason: 552-Requested mail action aborted: exceeded storage allocation`,
    is: 'transient',
  },
  {
    system: 'InterScan',
    from: 'VirusWall <postmaster@gw.example>',
    subject: 'Delivery Failed',
    text: `The InterScan VirusWall SMTP gateway could not deliver the mail to ${ADA}.\nMaximum delivery attempts reached.`,
    is: 'transient',
  },
  {
    system: 'IronPort',
    text: `The following message to <${ADA}> was undeliverable.\nThe reason for the problem:\n5.4.7 - Delivery expired (message too old) 'timeout'`,
    is: 'transient',
  },
  {
    system: 'Domino',
    from: 'Postmaster@example.org',
    text: `Your message\n\n  Subject: News\n\nwas not delivered to:\n\n  ${ADA}\n\nbecause:\n\n  Error transferring to MX.EXAMPLE.ORG; Maximum hop count exceeded.  Message probably in a routing loop.`,
    is: 'transient',
    says: 'Error transferring to MX.EXAMPLE.ORG',
  },
  {
    system: 'GroupWise',
    from: 'Mailer-Daemon@gw.example.org',
    subject: 'Message status - undeliverable',
    text: `The message that you sent was undeliverable to the following:\n\tada (${ADA} mail box full)`,
    is: 'transient',
  },
  {
    system: 'MDaemon',
    subject: 'Permanent Delivery Failure',
    text: `The attached message had PERMANENT fatal delivery errors!\n\nFailed address: ${ADA}\n\n--- Session Transcript ---\n Thu 2026-10-01 10:00:00: Attempting SMTP connection to [192.0.2.1:25]\n Thu 2026-10-01 10:02:00: Socket connection timed out\n Thu 2026-10-01 10:02:00: This message is 60 minutes old; it has 0 minutes left in this queue`,
    is: 'transient',
  },
  {
    system: 'Zimbra',
    text: '',
    status: ['Status: 4.2.2', 'Diagnostic-Code: smtp; 452 4.2.2 Over quota'],
    is: 'transient',
  },
  {
    system: 'QQ',
    from: 'PostMaster@qq.example',
    subject: '系统退信',
    text: `抱歉，您的邮件被退回来了。\n收件人（${ADA}）的邮箱空间已满，无法接收邮件。`,
    is: 'transient',
  },
  {
    system: 'Naver',
    from: 'MAILER-DAEMON@naver.example',
    text: `메일이 전송되지 못했습니다.\n${ADA}\n수신자의 메일함 용량이 초과되었습니다.`,
    is: 'transient',
  },
  {
    system: 'docomo',
    from: 'Postmaster@docomo.example',
    subject: 'Mail System Error - Returned Mail',
    text: `The user(s) account is temporarily over quota.\n\n<${ADA}>`,
    is: 'transient',
  },
  {
    system: 'Japanese',
    from: 'postmaster@softbank.example',
    text: `次の宛先へのメールを配信できませんでした。\n${ADA}\n宛先のメールボックスがいっぱいです。`,
    is: 'transient',
  },
  {
    system: 'Spanish',
    from: 'postmaster@correo.example',
    subject: 'Mensaje no entregado',
    text: `No se ha podido entregar su mensaje a ${ADA}: el buzón del destinatario está lleno.`,
    is: 'transient',
  },
  {
    system: 'Portuguese',
    from: 'postmaster@correio.example',
    subject: 'Mensagem não entregue',
    text: `${ADA}: a caixa de correio do destinatário está cheia`,
    is: 'transient',
  },
  {
    system: 'Italian',
    from: 'postmaster@posta.example',
    subject: 'Mancata consegna',
    text: `Impossibile consegnare a ${ADA}: casella di posta del destinatario piena.`,
    is: 'transient',
  },
  {
    system: 'Dutch',
    from: 'postmaster@post.example',
    subject: 'Niet bezorgd',
    text: `Uw bericht aan ${ADA} kon niet worden bezorgd: de mailbox van de ontvanger is vol.`,
    is: 'transient',
  },
  {
    system: 'Polish',
    from: 'postmaster@poczta.example',
    subject: 'Zwrot',
    text: `Nie można dostarczyć wiadomości do ${ADA}: skrzynka odbiorcy jest przepełniona.`,
    is: 'transient',
  },
  {
    system: 'Exim, name servers',
    text: `  ${ADA}\n    Host or domain name not found. Name service error for name=example.org type=MX: Host not found, try again`,
    is: 'transient',
  },
  {
    system: 'Gmail in its old words',
    text: `${GOOGLE}Disk quota exceeded`,
    is: 'transient',
  },
  {
    system: 'Japanese, a delay',
    from: 'postmaster@softbank.example',
    subject: '配信遅延のお知らせ',
    text: `${ADA} 宛のメールはまだ配信されていません。引き続き配信を試みます。`,
    is: 'delayed',
  },
  {
    system: 'German',
    from: 'postmaster@post.example',
    subject: 'Unzustellbar',
    text: `Ihre Nachricht an ${ADA} konnte nicht zugestellt werden. Das Postfach des Empfängers ist voll.`,
    is: 'transient',
  },
]

const NOT_THE_ADDRESS: readonly Style[] = [
  {
    system: 'qmail, of the sender',
    text: `<${ADA}>:\n192.0.2.1 does not like sender.\nRemote host said: 550 5.1.1 user unknown\nGiving up on 192.0.2.1.`,
    is: 'policy',
  },
  {
    system: 'Sendmail, of the sender',
    text: `   ----- The following addresses had permanent fatal errors -----\n<${ADA}>\n\n   ----- Transcript of session follows -----\n... while talking to mx.example.org.:\n>>> MAIL From:<news@acme.example>\n<<< 550 5.1.1 User unknown`,
    is: 'policy',
  },
  {
    system: 'Exim, of the sender',
    text: `  ${ADA}\n    host mx.example.org [192.0.2.1]\n    SMTP error from remote mail server after MAIL FROM:<news@acme.example> SIZE=1234:\n    550 no such user`,
    is: 'policy',
  },
  {
    system: 'qmail-ldap',
    text: `<${ADA}>:\nConnected to 192.0.2.1 but sender was rejected.\nRemote host said: 550 5.7.1 sender rejected`,
    is: 'policy',
  },
  {
    system: 'Gmail',
    text: `** Message blocked **\n\nYour message to ${ADA} has been blocked. The response was:\n\n550 5.7.1 [192.0.2.1] Our system has detected that this message is likely unsolicited mail.`,
    is: 'policy',
  },
  {
    system: 'Microsoft 365',
    text: `Your message couldn't be delivered because the recipient ${ADA} does not exist or cannot be found.`,
    status: [
      'Status: 5.7.708',
      'Diagnostic-Code: smtp;550 5.7.708 Service unavailable. Access denied, traffic not accepted from this IP.',
    ],
    is: 'policy',
  },
  {
    system: 'Mimecast',
    text: `Your email to ${ADA} could not be delivered.\nReason: 550 Rejected by header based Anti-Spoofing policy`,
    is: 'policy',
  },
  {
    system: 'boilerplate below a reply',
    text: `Your message to ${ADA} was returned:\n\n550 5.7.1 Message rejected by local policy\n\nThis usually means that the address does not exist. Check that the user name is correct; unknown users cannot receive mail.`,
    is: 'policy',
  },
  {
    system: 'a network that they take no mail from',
    text: `Your message to ${ADA} was not delivered.\nThey are not accepting mail from 192.0.2.1.`,
    is: 'policy',
  },
  {
    system: 'attachments',
    text: `Your message was not delivered: ${ADA} does not accept messages with attachments.`,
    is: 'policy',
  },
  { system: 'relaying', text: `Delivery failed.\n\nUnable to relay for ${ADA}`, is: 'policy' },
  { system: 'a field that is missing', text: `${ADA}: 554 no "To" field given`, is: 'policy' },
]

const UNCLEAR: readonly Style[] = [
  ...[
    'Possible causes:\n\n- The user does not exist\n- The domain was not found\n\nYour administrator',
    'Mögliche Ursachen:\n* Der Empfänger existiert nicht',
    'Maybe the user does not exist.',
    'An invalid address gives this.',
    'Quizás la cuenta no existe.',
    '收件人地址可能不存在。',
    '宛先が存在しない可能性があります。',
  ].map((text): Style => ({ system: 'what may be', text, status: ['Status: 5.0.0'], is: 'unknown' })),
  {
    system: 'a reply without a reason, with advice',
    text: `Your message to ${ADA} was returned:\n\n550 Requested action not taken\n\nThe user is unknown or the mailbox is full. Check that the address exists.`,
    is: 'unknown',
  },
  {
    system: 'an "or"',
    text: '',
    status: ['Status: 5.1.1', 'Diagnostic-Code: smtp; 550 5.1.1 User unknown or mailbox full'],
    is: 'unknown',
  },
  { system: 'an "or" in German', text: `${ADA}: Empfänger unbekannt oder Postfach voll`, is: 'unknown' },
  { system: 'an "or" in Portuguese', text: `${ADA}: Usuário desconhecido ou caixa postal cheia`, is: 'unknown' },
  { system: 'an "or" in Spanish', text: `${ADA}: el usuario no existe o su buzón está lleno`, is: 'unknown' },
]

const auto = 'Auto-Submitted: auto-replied'
const NO_BOUNCE: readonly Style[] = [
  {
    system: 'a recipient who has moved',
    from: `Ada <${ADA}>`,
    subject: 'Re: News of May',
    fields: [auto],
    text: `Hello, my old address does not exist any more (550 5.1.1 user unknown), please use ada@new.example.`,
    is: 'no bounce',
  },
  {
    system: 'a recipient whose machine quotes a refusal',
    from: `Ada <${ADA}>`,
    subject: 'Undeliverable: News of May',
    fields: [auto],
    text: `The following address failed:\n\n<${ADA}>:\n550 5.1.1 User unknown`,
    is: 'no bounce',
  },
  {
    system: 'a recipient who is away, without a mark',
    from: `Ada <${ADA}>`,
    subject: 'Re: News of May',
    text: 'I cannot be reached until 5 May. Please write to bob@example.org.',
    is: 'no bounce',
  },
  {
    system: 'a recipient who is away, in German',
    from: `Ada <${ADA}>`,
    subject: 'Abwesend: News',
    text: 'Ich bin bis 5. Mai nicht erreichbar, Ihre Mail wurde nicht zugestellt an meine Vertretung bob@example.org.',
    is: 'no bounce',
  },
  {
    system: 'a ticket system in Spanish',
    from: 'Soporte <soporte@empresa.example>',
    subject: 'Su solicitud [#5501]',
    text: 'No ha sido posible atender su solicitud de inmediato. Hemos abierto el ticket 5501.',
    is: 'no bounce',
  },
  {
    system: 'a shop',
    from: 'orders@shop.example',
    subject: 'Delivery failed: your parcel',
    text: 'Your parcel could not be delivered. The recipient was not found at the address.',
    sender: 'orders@shop.example',
    is: 'no bounce',
  },
  {
    system: 'a person who forwards one',
    from: 'Bob <bob@example.org>',
    subject: 'Fwd: Undelivered Mail Returned to Sender',
    text: `What does this mean?\n\n> <${ADA}>: host mx said:\n> 550 5.1.1 User unknown`,
    sender: 'bob@example.org',
    is: 'no bounce',
  },
  {
    system: 'a challenge',
    from: 'guard@example.org',
    subject: 'Your message could not be delivered yet',
    text: `Please confirm that you are a person: click the link below and your message to ${ADA} is released.`,
    is: 'no bounce',
  },
]

const ALL = [...GONE, ...MAY_PASS, ...NOT_THE_ADDRESS, ...UNCLEAR, ...NO_BOUNCE]

describe('the reports of mail systems in their own words', () => {
  it.each(ALL.map((style) => [`${style.system}: ${style.is}`, style] as const))('%s', (_name, style) => {
    const { kind, recipients } = parseReport(written(style), { from: style.sender ?? '' })
    if (style.is === 'no bounce') return expect(['none', 'auto-reply']).toContain(kind)
    const [first] = recipients
    expect([kind, recipients.length]).toEqual(['bounce', 1])
    expect(first?.action === 'delayed' ? 'delayed' : first?.class).toBe(style.is)
    if (style.text.includes(ADA) || style.status) expect(first?.address).toBe(ADA)
    if (style.says) expect(first?.diagnostic?.slice(0, style.says.length)).toBe(style.says)
  })
})

/** Advice that some add below a reply: it must never decide. */
const ADVICE = `\n\nThis usually means that the address does not exist. Please check that the user is known.\nA user unknown at the site, or an invalid address, gives this.`

/** How mail systems report a server's reply. */
const FORMS: readonly ((reply: string) => Pick<Style, 'text' | 'status'>)[] = [
  (reply) => ({
    text: `Your message could not be delivered to ${ADA}.${ADVICE}`,
    status: [`Status: ${/\b[45]\.\d+\.\d+\b/.exec(reply)?.[0] ?? '5.0.0'}`, `Diagnostic-Code: smtp; ${reply}`],
  }),
  (reply) => ({
    text: `A message that you sent could not be delivered to one or more of its\nrecipients. This is a permanent error. The following address(es) failed:\n\n  ${ADA}\n    host mx.example.org [192.0.2.1]\n    SMTP error from remote mail server after RCPT TO:<${ADA}>:\n    ${reply}`,
  }),
  (reply) => ({
    text: `I'm afraid I wasn't able to deliver your message to the following addresses.\n\n<${ADA}>:\n192.0.2.1 does not like recipient.\nRemote host said: ${reply}\nGiving up on 192.0.2.1.`,
  }),
  (reply) => ({ text: `Your message to ${ADA} could not be delivered.\n\nReason: ${reply}${ADVICE}` }),
  (reply) => ({ text: `${GOOGLE}${reply}` }),
]

describe('a reply in whatever report', () => {
  it.each(Object.entries(REPLIES))('says the same: %s', (judged, replies) => {
    const wrong = replies.flatMap((reply) => {
      const said = reply.replaceAll('ada@example.com', ADA)
      return FORMS.flatMap((form, at) => {
        const [first] = parseReport(written({ system: '', is: 'unknown', ...form(said) }), { from: '' }).recipients
        return first?.class === judged ? [] : [`${at} ${first?.class}: ${reply}`]
      })
    })
    expect(wrong).toEqual([])
  })
})
