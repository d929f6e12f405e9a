import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import { SECRET } from '../support/app.ts'
import { freshFolder } from '../support/fresh-folder.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { type SmtpSink, startSmtpSink } from '../support/smtp-sink.ts'
import { hostWith } from './pack.ts'

/*
 * The quick starts of other services, word by word, against the product as it ships. Only the lines of the address and the
 * key are others, as docs/compat.md says.
 */

/** The domains that the quick starts send from. */
const DOMAINS = ['resend.dev', 'example.com', 'sandbox-123.mailgun.org']

const MODULES = fileURLToPath(new URL('../../node_modules', import.meta.url))

interface QuickStart {
  readonly service: string
  /** Where it was read, and when. */
  readonly from: string
  readonly file: 'app.mjs' | 'app.cjs'
  readonly text: string
  /** The lines that change, each with what stands there instead. */
  readonly changed: readonly (readonly [line: string, by: string])[]
  /** The subject of its mail, and as many are sent. */
  readonly subject: string
  readonly mails: number
}

/** A block of code in the page of a package. */
function blockOf(page: string, beginning: string): string {
  const text = readFileSync(join(MODULES, page), 'utf8')
  const found = [...text.matchAll(/```js\n(.*?)```/gs)].find(([, code = '']) => code.startsWith(beginning))
  if (found?.[1] === undefined) throw new Error(`${page} has no block that begins with ${beginning}`)
  return found[1]
}

const QUICK_STARTS: readonly QuickStart[] = [
  {
    service: 'Resend',
    from: 'https://resend.com/docs/send-with-nodejs, November 2026',
    file: 'app.mjs',
    text: `import { Resend } from 'resend';

const resend = new Resend('re_xxxxxxxxx');

(async function () {
  const { data, error } = await resend.emails.send({
    from: 'Acme <onboarding@resend.dev>',
    to: ['delivered@resend.dev'],
    subject: 'Hello World',
    html: '<strong>It works!</strong>',
  });

  if (error) {
    return console.error({ error });
  }

  console.log({ data });
})();
`,
    changed: [
      [
        "const resend = new Resend('re_xxxxxxxxx');",
        "const resend = new Resend('KEY', { baseUrl: 'URL/compat/resend' });",
      ],
    ],
    subject: 'Hello World',
    mails: 1,
  },
  {
    service: 'Resend, by variables of the environment',
    from: 'https://resend.com/docs/send-with-nodejs, November 2026',
    file: 'app.mjs',
    text: `import { Resend } from 'resend';

const resend = new Resend(process.env.RESEND_API_KEY);

const { data, error } = await resend.emails.send({
  from: 'Acme <onboarding@resend.dev>',
  to: ['delivered@resend.dev'],
  subject: 'Hello World',
  html: '<strong>It works!</strong>',
});
console.log({ data, error });
`,
    changed: [],
    subject: 'Hello World',
    mails: 1,
  },
  {
    service: 'Postmark',
    from: 'https://postmarkapp.com/send-email/node, November 2026',
    file: 'app.cjs',
    text: `// Require:
var postmark = require("postmark");

// Send an email:
var client = new postmark.ServerClient("POSTMARK-SERVER-API-TOKEN-HERE");

client.sendEmail({
  "From": "sender@example.com",
  "To": "recipient@example.com",
  "Subject": "Hello from Postmark",
  "HtmlBody": "<strong>Hello</strong> dear Postmark user.",
  "TextBody": "Hello from Postmark!",
  "MessageStream": "outbound"
});
`,
    changed: [
      [
        'var client = new postmark.ServerClient("POSTMARK-SERVER-API-TOKEN-HERE");',
        'var client = new postmark.ServerClient("KEY", { requestHost: "HOST/compat/postmark", useHttps: false });',
      ],
    ],
    subject: 'Hello from Postmark',
    mails: 1,
  },
  {
    service: 'SendGrid',
    from: 'the page of its package @sendgrid/mail',
    file: 'app.cjs',
    text: blockOf('@sendgrid/mail/README.md', "const sgMail = require('@sendgrid/mail');"),
    changed: [
      [
        'sgMail.setApiKey(process.env.SENDGRID_API_KEY);',
        "const client = require('@sendgrid/client');\nsgMail.setClient(client);\nsgMail.setApiKey('KEY');\nclient.setDefaultRequest('baseUrl', 'URL/compat/sendgrid');",
      ],
    ],
    subject: 'Sending with Twilio SendGrid is Fun',
    mails: 2,
  },
  {
    service: 'Mailgun',
    from: 'https://documentation.mailgun.com/docs/mailgun/sdk/nodejs_sdk, November 2026',
    file: 'app.cjs',
    text: `const formData = require('form-data');
const Mailgun = require('mailgun.js');
const mailgun = new Mailgun(formData);
const mg = mailgun.client({username: 'api', key: process.env.MAILGUN_API_KEY || 'MAILGUN_API_KEY'});

mg.messages.create('sandbox-123.mailgun.org', {
    from: "Excited User <mailgun@sandbox-123.mailgun.org>",
    to: ["test@example.com"],
    subject: "Hello",
    text: "Testing some Mailgun awesomness!",
    html: "<h1>Testing some Mailgun awesomness!</h1>"
  })
  .then(msg => console.log(msg)) // logs response data
  .catch(err => console.error(err)); // logs any error
`,
    changed: [
      [
        "const mg = mailgun.client({username: 'api', key: process.env.MAILGUN_API_KEY || 'MAILGUN_API_KEY'});",
        "const mg = mailgun.client({username: 'api', key: 'KEY', url: 'URL/compat/mailgun'});",
      ],
    ],
    subject: 'Hello',
    mails: 1,
  },
]

describe('the quick start of', () => {
  let server: ServerProcess
  let sink: SmtpSink
  let sent = 0
  const home = mkdtempSync(join(tmpdir(), 'mailwright-quick-starts-'))

  beforeAll(async () => {
    sink = await startSmtpSink()
    const transport = {
      name: 'main',
      use: 'smtp',
      options: { host: '127.0.0.1', port: sink.port, tls: { rejectUnauthorized: false } },
    }
    const host = await hostWith(home, 'host', [inject('tarball')])
    const projects = [{ name: 'Acme', secretKey: SECRET, trustedDomains: DOMAINS }]
    const main = join(host, 'node_modules/mailwright/dist/server/main.js')
    server = await startServerProcess(host, { transports: [transport], projects }, [], { main })
  }, 300_000)
  afterAll(async () => {
    await server?.stop()
    await sink?.close()
    rmSync(home, { recursive: true, force: true })
  })

  it.each(QUICK_STARTS)('$service', async ({ file, text, changed, subject, mails }) => {
    const folder = freshFolder()
    symlinkSync(MODULES, join(folder, 'node_modules'))
    const filled = (line: string) =>
      line.replaceAll('KEY', SECRET).replaceAll('URL', server.url).replaceAll('HOST', new URL(server.url).host)
    let code = text
    for (const [line, by] of changed) {
      expect(code).toContain(`${line}\n`)
      code = code.replace(line, () => filled(by))
    }
    writeFileSync(join(folder, file), code)
    const env = { ...process.env, RESEND_BASE_URL: `${server.url}/compat/resend`, RESEND_API_KEY: SECRET }
    const child = spawn(process.execPath, [file], { cwd: folder, env })
    let wrong = ''
    child.stderr.on('data', (chunk) => (wrong += chunk))
    const [ended] = await once(child, 'close')
    // a client of SendGrid remarks that the key is none of theirs
    expect([ended, wrong.replace(/^API key does not start with "SG\."\.\n/, '')]).toEqual([0, ''])
    const all = await sink.waitFor(sent + mails)
    const arrived = all.slice(sent)
    sent = all.length
    expect(arrived).toHaveLength(mails)
    for (const { raw } of arrived) expect(raw.toString('latin1')).toContain(`Subject: ${subject}\r\n`)
  })
})
