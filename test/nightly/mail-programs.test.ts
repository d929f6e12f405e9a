import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ParsedMail, simpleParser } from 'mailparser'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testBrowser } from '../browser/chromium.ts'
import { settled, signIn } from '../browser/dashboard-server.ts'
import { Life, SECRET } from '../crash/life.ts'
import { type DnsServer, startDnsServer } from '../support/dns-server.ts'
import { installed, type Postfix, startPostfix } from '../support/postfix.ts'
import { freePort } from '../support/server-process.ts'
import { until } from '../support/until.ts'

const HELP = 'hilfe@ours.example'
const OWNER = { email: 'owner@ours.example', password: 'correct horse battery' }

/*
 * A conversation with the mail programs that people have, over a mail server that people have: what they put into headers, how
 * they quote and how they name files is theirs, not ours.
 */
describe('a conversation with mutt, s-nail, swaks and one like Thunderbird, over Postfix', () => {
  let life: Life
  let dns: DnsServer
  let postfix: Postfix
  const browser = testBrowser()
  const folder = mkdtempSync(join(tmpdir(), 'mailwright-test-'))

  beforeAll(async () => {
    const [port, answers] = [await freePort(), await startDnsServer({})]
    dns = answers
    const other = { domain: 'ours.example', port }
    postfix = await startPostfix({ domain: 'friend.example', people: ['ada', 'bob'], other })
    mkdirSync(join(folder, 'server'))
    life = new Life(join(folder, 'server'), {
      projects: [
        { name: 'Hilfe', secretKey: SECRET, trustedDomains: ['ours.example'], locale: 'de', timeZone: 'Europe/Berlin' },
      ],
      inbound: [{ use: 'smtp-server', options: { host: '127.0.0.1', port, hostname: 'mx.ours.example' } }],
      transports: [{ use: 'smtp', options: { host: '127.0.0.1', port: postfix.port } }],
      dns: { use: 'node', options: { servers: [dns.address] } },
      accounts: { passwordCost: 10 },
      log: { level: 'warn' },
    })
    await life.begin()
  })
  afterAll(async () => {
    await life?.end()
    postfix?.stop()
    await dns?.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const ask = async (method: string, path: string, json?: object) => {
    const { status, body } = await life.ask(method, path, json)
    expect(status, `${method} ${path}: ${JSON.stringify(body)}`).toBeLessThan(300)
    return body
  }
  const seen = { ada: 0, bob: 0 }
  /** The next message in a mailbox, as it came. */
  const next = async (person: 'ada' | 'bob'): Promise<ParsedMail & { readonly raw: Buffer }> => {
    const place = seen[person]++
    const raw = await until(`${person} has mail`, () => postfix.mailsOf(person)[place], 60_000).catch((cause) => {
      throw new Error(postfix.log(), { cause })
    })
    return { ...(await simpleParser(raw)), raw }
  }
  const run = (program: string, args: readonly string[], input = '') => {
    const env = { ...process.env, HOME: folder, LC_ALL: 'C.UTF-8', TERM: 'xterm', MAILRC: join(folder, 'mailrc') }
    const done = spawnSync(installed(program), args, { env, input, encoding: 'utf8', timeout: 20_000 })
    expect(done.status, `${program}: ${done.stdout}${done.stderr}`).toBe(0)
  }
  let boxes = 0
  /** A mailbox with this message alone, which the program opens. */
  const boxWith = (raw: Buffer): string => {
    const box = join(folder, `box${++boxes}`)
    for (const part of ['new', 'cur', 'tmp']) mkdirSync(join(box, part), { recursive: true })
    writeFileSync(join(box, 'new', `1.${boxes}.here`), raw)
    return box
  }
  /** Ada answers all in mutt, above the quote that mutt makes. */
  const mutt = (raw: Buffer, text: string, file?: string) => {
    const editor = join(folder, 'editor.sh')
    writeFileSync(join(folder, 'typed.txt'), `${text}\n\n`)
    writeFileSync(editor, '#!/bin/sh\ncat "$(dirname "$0")/typed.txt" "$1" > "$1.new" && mv "$1.new" "$1"\n')
    chmodSync(editor, 0o755)
    const settings = [
      ...['from=ada@friend.example', 'realname="Ada Löwe"', 'use_from', `smtp_url="smtp://127.0.0.1:${postfix.port}/"`],
      ...[
        'ssl_starttls=no',
        'ssl_force_tls=no',
        `editor="${editor}"`,
        'fast_reply',
        'include=yes',
        'charset=utf-8',
        'record=""',
        'nowait_key',
      ],
      ...['attribution="Am %d schrieb %n:"', 'hostname=friend.example', 'quit=yes', 'nomark_old', 'move=no', 'nobeep'],
      // it would ask whether to make one
      `folder="${folder}"`,
    ]
    const rc = join(folder, 'muttrc')
    writeFileSync(rc, settings.map((each) => `set ${each}\n`).join(''))
    const attach = file === undefined ? '' : `<attach-file>${file}<enter>`
    const keys = `push "<group-reply>${attach}<send-message><quit>"`
    // it needs a terminal
    const line = ['mutt', '-n', '-F', rc, '-f', boxWith(raw), '-e', keys].map((word) => `'${word}'`).join(' ')
    run('script', ['-qec', line, '/dev/null'])
  }
  /** Bob answers all in s-nail. */
  const snail = (raw: Buffer, text: string, file?: string) => {
    const settings = ['v15-compat', `mta=smtp://127.0.0.1:${postfix.port}`, 'smtp-auth=none', 'hostname=friend.example']
    const more = ['from="Bob Müller <bob@friend.example>"', 'quote', 'ttycharset=utf-8', 'sendcharsets=utf-8', 'nosave']
    writeFileSync(join(folder, 'mailrc'), [...settings, ...more].map((each) => `set ${each}\n`).join(''))
    const attach = file === undefined ? '' : `~@ ${file}\n`
    run('s-nail', ['-:u', '-#', '-f', boxWith(raw)], `reply 1\n${text}\n${attach}~.\n`)
  }
  const swaks = (...args: readonly string[]) => {
    run('swaks', ['--server', `127.0.0.1:${postfix.port}`, '--to', HELP, ...args])
  }

  it('is one thread, in which each knows what it answers and nothing but what was newly written counts', async () => {
    const image = join(folder, 'Foto-größer.png')
    cpSync('docs/images/dashboard-campaign.png', image)
    const inbox = await ask('POST', '/inboxes', {
      ...{ name: 'Hilfe', address: HELP, senderName: 'Hilfe & Rat', signature: '<p>-- <br>Hilfe & Rat</p>' },
    })
    const ids: string[] = []
    let threadId = ''
    const all = async () => (await ask('GET', `/threads/${threadId}/messages?limit=50`)).data
    /** The product writes, as a member does in the dashboard. */
    const write = async (mail: object, ...files: readonly (readonly [string, string])[]) => {
      const draft = await ask('POST', `/inboxes/${inbox.id}/drafts`, mail)
      for (const [filename, content] of files) {
        const file = { filename, contentType: 'text/plain', content: Buffer.from(content).toString('base64') }
        await ask('POST', `/drafts/${draft.id}/attachments`, file)
      }
      const sent = await ask('POST', `/drafts/${draft.id}/send`, {})
      threadId ||= sent.threadId
      expect(sent.threadId).toBe(threadId)
      return draft
    }
    /** The mail that reached a person: it names what it answers, and everything before. */
    const reached = async (person: 'ada' | 'bob', text: string) => {
      const mail = await next(person)
      const before = ids.includes(mail.messageId ?? '') ? ids.slice(0, ids.indexOf(mail.messageId ?? '')) : [...ids]
      expect([mail.from?.value[0]?.address, mail.text]).toEqual([HELP, expect.stringContaining(text)])
      expect(mail.inReplyTo).toBe(before.at(-1))
      expect([mail.references ?? []].flat()).toEqual(before)
      if (!ids.includes(mail.messageId ?? '')) ids.push(mail.messageId ?? '')
      return mail
    }
    /** The newest message of the one thread, once it is there. */
    const came = async (of: number, text: string, ...files: readonly string[]) => {
      const messages = await until(
        `message ${of} is there`,
        async () => {
          const found = await all()
          return found.length >= of ? found : undefined
        },
        60_000,
      ).catch((cause) => {
        throw new Error(postfix.log(), { cause })
      })
      const [newest] = messages
      expect([messages.length, newest.incoming, newest.replyText.trim()]).toEqual([of, true, text])
      expect(newest.attachments.map(({ filename }: { filename: string }) => filename)).toEqual(files)
      ids.push(newest.messageId)
      return newest
    }

    // 1: we write, with a file
    const first = {
      to: ['Ada Löwe <ada@friend.example>'],
      subject: 'Ihr Besuch am Freitag',
      body: '<p>Passt Freitag?</p>',
    }
    await write(first, ['Anfahrt – Übersicht.txt', 'Links'])
    const one = await reached('ada', 'Passt Freitag?')
    expect(one.attachments.map(({ filename }) => filename)).toEqual(['Anfahrt – Übersicht.txt'])

    // 2: mutt, with a quote below and a file
    mutt(one.raw, 'Ja, Freitag um zehn passt.\n\nViele Grüße\nAda', image)
    const two = await came(2, 'Ja, Freitag um zehn passt.\n\nViele Grüße\nAda', 'Foto-größer.png')

    // an absence in between disturbs nothing
    await ask('PATCH', `/threads/${threadId}`, { folder: 'archive', read: true })
    swaks(
      ...[
        '--from',
        '<>',
        '--header',
        'From: Ada Löwe <ada@friend.example>',
        '--header',
        'Subject: Abwesend: Ihr Besuch',
      ],
      ...['--add-header', 'Auto-Submitted: auto-replied', '--add-header', `In-Reply-To: ${ids[0]}`],
      ...['--add-header', 'Message-ID: <absent@friend.example>', '--body', 'Ich bin bis Montag nicht da.'],
    )
    const away = await came(3, 'Ich bin bis Montag nicht da.')
    ids.pop()
    expect(await ask('GET', `/threads/${threadId}`)).toMatchObject({ folder: 'archive', messageCount: 3 })
    expect(away.from).toBe('ada@friend.example')

    // 3: we answer all
    await write({ kind: 'reply-all', messageId: two.id, body: '<p>Wunderbar, bis Freitag.</p>' })
    const three = await reached('ada', 'Wunderbar, bis Freitag.')
    expect(three.text).toContain('Viele Grüße')

    // 4: swaks, with another subject and a third person; only References say where it belongs
    swaks(
      ...['--from', 'ada@friend.example', '--header', 'From: Ada Löwe <ada@friend.example>'],
      ...[
        '--header',
        'Subject: Noch jemand kommt mit',
        '--header',
        `To: ${HELP}`,
        '--add-header',
        'Cc: bob@friend.example',
      ],
      ...['--add-header', `References: ${ids.join(' ')}`, '--add-header', 'Message-ID: <four@friend.example>'],
      ...['--body', 'Bob kommt mit. Er liest hier mit.'],
    )
    const four = await came(5, 'Bob kommt mit. Er liest hier mit.')
    expect(await ask('GET', `/threads/${threadId}`)).toMatchObject({
      folder: 'inbox',
      subject: 'Ihr Besuch am Freitag',
    })

    // 5: we answer all, so Bob, too
    await write({ kind: 'reply-all', messageId: four.id, body: '<p>Willkommen, Bob!</p>' }, [
      'Plan für zwei.txt',
      'zwei',
    ])
    await reached('ada', 'Willkommen, Bob!')
    const five = await reached('bob', 'Willkommen, Bob!')
    expect([five.subject, five.attachments[0]?.filename]).toEqual(['Re: Noch jemand kommt mit', 'Plan für zwei.txt'])

    // 6: s-nail answers all, below the quote that it makes, with a file; Ada has it from Bob himself
    snail(five.raw, 'Danke, ich bringe Kuchen mit.', image)
    const six = await came(7, 'Danke, ich bringe Kuchen mit.', 'Foto-größer.png')
    expect((await next('ada')).from?.value[0]?.address).toBe('bob@friend.example')
    expect((await ask('GET', `/threads/${threadId}`)).participants).toEqual([
      { email: 'ada@friend.example', name: 'Ada Löwe' },
      { email: 'bob@friend.example', name: expect.any(String) },
    ])

    // 7: we answer him alone
    await write({ kind: 'reply', messageId: six.id, body: '<p>Kuchen ist immer gut.</p>' })
    const seven = await reached('bob', 'Kuchen ist immer gut.')

    // 8: one like Thunderbird: format=flowed, HTML beside it, names of files as RFC 2231 has them
    const quoted = 'Am 12.03.26 um 10:00 schrieb Hilfe & Rat:'
    writeFileSync(join(folder, 'eight.eml'), thunderbird({ to: HELP, answers: ids, quoted }))
    swaks('--from', 'bob@friend.example', '--data', `@${join(folder, 'eight.eml')}`)
    const eight = await came(9, 'Dann bis Freitag um zehn!', 'Lageplan – groß.pdf')
    expect(eight.replyHtml).not.toContain('schrieb Hilfe')
    expect(seven.messageId).toBe(ids.at(-2))

    // 9: we answer all
    await write({ kind: 'reply-all', messageId: eight.id, body: '<p>Bis Freitag!</p>' })
    const nine = await reached('bob', 'Bis Freitag!')

    // 10: s-nail once more, and mutt to what Ada had before
    snail(nine.raw, 'Eine Frage noch: gibt es Parkplätze?')
    await came(11, 'Eine Frage noch: gibt es Parkplätze?')

    const { data } = await ask('GET', `/inboxes/${inbox.id}/threads?folder=all`)
    expect(data.map(({ id, messageCount }: { id: string; messageCount: number }) => [id, messageCount])).toEqual([
      [threadId, 11],
    ])
    const found = await until('the last message can be found', async () => {
      const { data } = await ask('GET', `/threads?q=${encodeURIComponent('"parkplätze"')}`)
      return data[0]
    })
    expect([found.id, found.excerpt[1]]).toEqual([threadId, { text: 'Parkplätze', found: true }])

    // as people see it
    const page = await browser.newPage()
    await page.setViewport({ width: 1280, height: 900 })
    const url = (await ask('POST', '/auth/signup', { ...OWNER, secretKey: SECRET })) && life.url
    const { projectId } = await ask('GET', '/keys/@me')
    await page.goto(`${url}/app/p/${projectId}/inboxes/${inbox.id}/${threadId}`)
    await signIn(page, OWNER)
    for (const [name, width] of [['wide', 1280] as const, ['phone', 390] as const]) {
      await page.setViewport({ width, height: 900 })
      await page.reload()
      await settled(page)
      const isWhole = `document.querySelectorAll('article').length === 11`
      await page.waitForFunction(isWhole)
      const pictures = process.env.PICTURES
      if (pictures) await page.screenshot({ path: `${pictures}/ten-turns-${name}.png`, fullPage: true })
      const text = String(await page.evaluate(`document.querySelector('main').innerText`))
      for (const words of [
        'Viele Grüße',

        'Kuchen mit',
        'Parkplätze',
        'Foto-größer.png',
        'Lageplan – groß.pdf',
      ])
        expect(text).toContain(words)
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width)
    }
  })
})

/** A message as Thunderbird writes it. */
function thunderbird({ to, answers, quoted }: { to: string; answers: readonly string[]; quoted: string }): string {
  const text = `Dann bis Freitag um zehn!\n\n${quoted}\n> Kuchen ist immer gut.\n>\n> --\n> Hilfe & Rat\n`
  const html = `<!DOCTYPE html><html><head><meta http-equiv="Content-Type" content="text/html; charset=UTF-8"></head><body>
    <p>Dann bis Freitag um zehn!</p><div class="moz-cite-prefix">${quoted.replace('&', '&amp;')}<br></div>
    <blockquote type="cite" cite="mid:x@ours.example"><p>Kuchen ist immer gut.</p></blockquote></body></html>`
  return [
    'Message-ID: <6f1f2c55-8d0d-4f2b-9f0e-2b9a2c1d0e11@friend.example>',
    'Date: Thu, 12 Mar 2026 11:12:13 +0100',
    'MIME-Version: 1.0',
    'User-Agent: Mozilla Thunderbird',
    'Subject: Re: Noch jemand kommt mit',
    `To: =?UTF-8?Q?Hilfe_=26_Rat?= <${to}>`,
    `References: ${answers.join('\n ')}`,
    'Content-Language: de-DE',
    'From: =?UTF-8?Q?Bob_M=C3=BCller?= <bob@friend.example>',
    `In-Reply-To: ${answers.at(-1)}`,
    'Content-Type: multipart/mixed; boundary="------------a1"',
    '',
    'This is a multi-part message in MIME format.',
    '--------------a1',
    'Content-Type: multipart/alternative; boundary="------------b2"',
    '',
    '--------------b2',
    'Content-Type: text/plain; charset=UTF-8; format=flowed',
    'Content-Transfer-Encoding: 8bit',
    '',
    text,
    '--------------b2',
    'Content-Type: text/html; charset=UTF-8',
    'Content-Transfer-Encoding: 8bit',
    '',
    html,
    '--------------b2--',
    '--------------a1',
    'Content-Type: application/pdf; name="=?UTF-8?Q?Lageplan_=E2=80=93_gro=C3=9F=2Epdf?="',
    "Content-Disposition: attachment; filename*0*=UTF-8''Lageplan%20%E2%80%93%20; filename*1*=gro%C3%9F.pdf",
    'Content-Transfer-Encoding: base64',
    '',
    Buffer.from('%PDF-1.4').toString('base64'),
    '--------------a1--',
    '',
  ].join('\n')
}
