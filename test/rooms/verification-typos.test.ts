import { describe, expect, it } from 'vitest'
import { suggestion } from '../../core/verification/typo.ts'

/** Domains that people have mailboxes at, or companies; many are one letter from a large provider. */
const REAL =
  `gmail.com googlemail.com gmx.de gmx.net gmx.at gmx.ch gmx.com gmx.us mail.com email.com ymail.com me.com mac.com msn.com aol.com aol.de aol.fr aim.com ail.com live.com live.nl live.it
  live.be live.se live.cn live.ca love.com liv.com hotmail.it hotmail.fr hotmail.be hotmail.se hotmail.nl hotmail.gr
  hotmail.co.uk hotmail.com.br hotmail.co.jp netmail.com outlook.de outlook.es outlook.pt outlook.com.br
  yahoo.co.jp yahoo.co.uk yahoo.de yahoo.com.ar yahoo.com.pe yahoo.ro yahoo.gr yahoo.pl icloud.com rocketmail.com
  web.de wed.de t-online.de freenet.de posteo.de mailbox.org proton.me protonmail.com protonmail.ch pm.me tutanota.com tuta.com
  fastmail.com fastmail.fm hey.com key.com zoho.com zoho.eu soho.com yandex.ru yandex.by yandex.kz mail.ru mail.bg bk.ru list.ru
  inbox.ru inbox.lv qq.com 163.com 126.com sina.com sina.cn naver.com daum.net hanmail.net rediffmail.com orange.fr orange.com
  free.fr sfr.fr laposte.net libero.it virgilio.it tin.it alice.it wp.pl o2.pl op.pl onet.pl seznam.cz centrum.cz centrum.sk
  telenet.be skynet.be ziggo.nl planet.nl home.nl bluewin.ch btinternet.com bt.com sky.com comcast.net comcast.com cox.net
  cox.com att.net att.com verizon.net verizon.com charter.net bigpond.com bigpond.net.au optusnet.com.au uol.com.br bol.com.br
  terra.com.br terra.com example.com acme.org mit.edu github.com apple.com google.com microsoft.com amazon.com adobe.com
  dhl.com ibm.com bmw.de sap.com abc.com cnn.com bbc.co.uk ox.ac.uk ethz.ch münchen.de bücher.example`.split(/\s+/)

/** Domains of others, one letter from a large provider: a slip only if they take no mail. */
const OTHERS = 'gail.com cloud.com tmail.com zmail.com fmail.com hmail.com nmail.com'.split(' ')

const TYPOS =
  `gmial.com gmail.com, gmai.com gmail.com, gmal.com gmail.com, gamil.com gmail.com, gmil.com gmail.com, gmaill.com gmail.com,
  gmaiil.com gmail.com, gnail.com gmail.com, gmali.com gmail.com, gmaul.com gmail.com, gmail.co gmail.com, gmail.con gmail.com,
  gmail.cm gmail.com, gmail.om gmail.com, gmail.comm gmail.com, gmail.vom gmail.com, gmail.cmo gmail.com, gmqil.com gmail.com,
  hotmial.com hotmail.com, hotmai.com hotmail.com, hotmal.com hotmail.com, hotmil.com hotmail.com, hotmaill.com hotmail.com,
  hotnail.com hotmail.com, htomail.com hotmail.com, homtail.com hotmail.com, hotmail.con hotmail.com, hotmail.co hotmail.com,
  yaho.com yahoo.com, yahooo.com yahoo.com, yhaoo.com yahoo.com, yhoo.com yahoo.com, yahoo.con yahoo.com, yahoo.cm yahoo.com,
  outlok.com outlook.com, outloo.com outlook.com, outlool.com outlook.com, outllook.com outlook.com, outlook.con outlook.com,
  iclod.com icloud.com, icoud.com icloud.com, iclould.com icloud.com, icluod.com icloud.com, icloud.co icloud.com,
  aol.con aol.com, protonmial.com protonmail.com, protonmail.con protonmail.com, gmx.ed gmx.de, gmx.nte gmx.net, web.ed web.de,
  t-onlin.de t-online.de, freent.de freenet.de, orange.fe orange.fr, wandoo.fr wanadoo.fr, libero.ti libero.it, libreo.it libero.it,
  comcast.ner comcast.net, verizn.net verizon.net, yaho.co.uk yahoo.co.uk, hotmial.fr hotmail.fr, btinternt.com btinternet.com,
  gmаil.com gmail.com, gmäil.com gmail.com, раypal.example -, уahoo.com yahoo.com, ıcloud.com icloud.com`
    .split(/,\s*/)
    .map((pair) => pair.trim().split(' '))

describe('suggestions', () => {
  it('are made for no domain in use, whatever the DNS says', () => {
    expect(REAL.length).toBeGreaterThan(140)
    expect(REAL.filter((domain) => suggestion(domain) !== undefined)).toEqual([])
  })

  it('are not certain for the name of another, so that its MX records decide', () => {
    expect(OTHERS.map((domain) => suggestion(domain)?.isCertain)).toEqual(OTHERS.map(() => false))
  })

  it.each(TYPOS)('of %s is %s', (typed = '', meant = '') => {
    expect(suggestion(typed)?.domain ?? '-').toBe(meant)
  })

  it('look at no more of a long name than its length', () => {
    expect(suggestion(`${'gmail'.repeat(50_000)}.com`)).toBeUndefined()
  })
})
