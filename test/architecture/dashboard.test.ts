import { globSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { REFUSAL_MEANINGS } from '../../core/bounces/refusal-meaning.ts'
import { CHECK_SENTENCES } from '../../core/checks/check-sentences.ts'
import { BIMI_ADVICE } from '../../core/domains/bimi-advice.ts'
import { BLOCKLIST_ADVICE } from '../../core/domains/blocklist-advice.ts'
import { DNS_ADVICE } from '../../core/domains/dns-advice.ts'
import { TEST_ADVICE } from '../../core/domains/test-advice.ts'
import { EngineError, ERROR_KINDS, FIELD_CODES } from '../../core/errors.ts'
import { RATE_ADVICE } from '../../core/feedback/verdict.ts'
import { ChangeRoutes } from '../../core/installation/routing-rules.ts'
import { LANGUAGES } from '../../core/mail/languages/translations-in.ts'
import { Rendering } from '../../core/mail/render/rendering.ts'
import type { ForeignEvents } from '../../core/ports/foreign-api.ts'
import { REPORT_ADVICE } from '../../core/reports/report-advice.ts'
import { STS_ADVICE } from '../../core/reports/sts-advice.ts'
import { untrusted } from '../../core/values/input.ts'
import { parse } from '../../core/values/parse.ts'
import { DKIM_ADVICE } from '../../plugins/identity-dkim/dkim-advice.ts'
import { SES_ADVICE } from '../../plugins/identity-ses/ses-advice.ts'
import { ROUTES } from '../../server/app.ts'
import { compose } from '../../server/dashboard/parts/mail-editor/compose.ts'
import type { DesignNode } from '../../server/dashboard/parts/mail-editor/design.ts'
import { MAIL_LANGUAGES } from '../../server/dashboard/parts/mail-languages.ts'
import { samplesIn, startersIn } from '../../server/dashboard/parts/starters.ts'
import { de } from '../../server/dashboard/texts/de/all.ts'
import { recipes as german } from '../../server/dashboard/texts/de/recipes.ts'
import { en } from '../../server/dashboard/texts/en/all.ts'
import { audit, auditKinds } from '../../server/dashboard/texts/en/audit.ts'
import { recipes as english } from '../../server/dashboard/texts/en/recipes.ts'
import type { Texts } from '../../server/dashboard/texts/types.ts'
import { DIALECTS } from '../../server/dashboard/webhooks/dialects.ts'
import { mailsOf, RECIPES, type RecipeKey, type RecipeWords } from '../../server/dashboard/workflows/recipes.ts'
import { kindOfTarget } from '../../server/http/audited.ts'

const ROOT = 'server/dashboard'
/** The folders that every noun may use. */
const SHARED = new Set(['api', 'parts', 'shell', 'texts'])

const files = readdirSync(ROOT, { recursive: true })
  .map((path) => String(path).replaceAll('\\', '/'))
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path, code: readFileSync(join(ROOT, path), 'utf8') }))

describe('the dashboard', () => {
  it('offers the languages that mails are written in', () => {
    expect(MAIL_LANGUAGES).toEqual([...LANGUAGES.keys()])
  })

  it('has nouns that import nothing of one another', () => {
    const wrong = files.flatMap(({ path, code }) => {
      const noun = path.split('/')[0] ?? ''
      if (!path.includes('/') || noun === 'shell') return []
      return [...code.matchAll(/from '(\.[^']+)'/g)]
        .map(([, target = '']) => normalize(join(dirname(path), target)))
        .filter((target) => !target.startsWith('..'))
        .map((target) => target.split('/')[0] ?? '')
        .filter((other) => other !== noun && !SHARED.has(other))
        .map((other) => `${path} imports ${other}`)
    })
    expect(wrong).toEqual([])
  })

  it('has its words in texts/ alone', () => {
    const wrong = files
      .filter(({ path }) => path.endsWith('.tsx') && !path.startsWith('texts/'))
      .flatMap(({ path, code }) =>
        [
          ...code.matchAll(/^\s+([A-Z][a-z]+(?: [a-z]+)+[.!?]?)$|(?:label|title|placeholder|hint)="([A-Z][^"]+)"/gm),
        ].map(([, text, attribute]) => `${path}: ${text ?? attribute}`),
      )
    expect(wrong).toEqual([])
  })

  // the audit log shows what was done by the operation's name: nothing else sees one that has no words
  it('has words for every operation that the audit log keeps', () => {
    const kept = ROUTES.filter(({ audit, method, access }) =>
      access === 'open' ? false : (audit ?? (method === 'GET' ? 'never' : 'always')) !== 'never',
    ).map(({ operation }) => operation)
    expect(kept.length).toBeGreaterThan(70)
    expect(kept.filter((operation) => !(operation in audit))).toEqual([])
  })

  it('has words for every kind of thing that the audit log of a project names, and for no other', () => {
    const kinds = ROUTES.filter((route) => {
      const isKept = (route.audit ?? (route.method === 'GET' ? 'never' : 'always')) !== 'never'
      return isKept && (route.access === 'secret' || route.access === 'public')
    }).map(kindOfTarget)
    expect(Object.keys(auditKinds)).toEqual([...new Set(kinds)].toSorted())
  })

  // what the API advises is English: nothing else sees a sentence that stays so in another language
  it('has words for every sentence that the API advises, with the same values in them', () => {
    const tables = [
      CHECK_SENTENCES,
      DNS_ADVICE,
      TEST_ADVICE,
      DKIM_ADVICE,
      SES_ADVICE,
      RATE_ADVICE,
      REFUSAL_MEANINGS,
      REPORT_ADVICE,
      STS_ADVICE,
      BIMI_ADVICE,
      BLOCKLIST_ADVICE,
    ]
    const given: Readonly<Record<string, string>> = Object.assign({}, ...tables)
    const valuesIn = (text = '?') => [...new Set(text.match(/\{\w+\}/g))].toSorted()
    expect(tables.flatMap(Object.keys)).toHaveLength(Object.keys(given).length)
    expect(
      Object.entries(de.advice)
        .map(([code, text]) => [code, valuesIn(text)])
        .toSorted(),
    ).toEqual(
      Object.entries(given)
        .map(([code, text]) => [code, valuesIn(text)])
        .toSorted(),
    )
  })

  it('has the same mails to begin with in every language, each in words of its own', () => {
    const of = (t: Texts) =>
      startersIn(t).map(({ design, subject, ...rest }) => ({
        ...rest,
        blocks: bonesOf(design.content),
        liquid: liquidIn(subject + compose(design, {})),
        samples: samplesIn(compose(design, {}), []).length,
      }))
    expect(of(de)).toEqual(of(en))
    expect(of(en)).toHaveLength(6)
    const saidIn = (t: Texts) => startersIn(t).flatMap(({ design, subject }) => [subject, ...wordsOf(design.content)])
    const shared = new Set(saidIn(en))
    expect(saidIn(de).filter((said) => shared.has(said) && /[a-z]{2}/.test(said))).toEqual([])
  })

  it('has the same recipes in every language, with as much left to write in each mail', () => {
    const of = (recipes: RecipeWords) =>
      (Object.keys(RECIPES) as RecipeKey[]).map((key) => ({
        key,
        steps: Object.keys(recipes[key].steps),
        mails: mailsOf(key, recipes).map(([step, { subject, words, button }]) => ({
          step,
          hasButton: button !== '',
          liquid: liquidIn([subject, ...words, button].join(' ')),
          left: words.map((said) => said.match(/\[[^\]]+\]/g)?.length ?? 0),
        })),
      }))
    expect(of(german)).toEqual(of(english))
    // a step without a name, or a name without a step
    for (const { key, steps } of of(english))
      expect(steps.toSorted()).toEqual(Object.keys(RECIPES[key].steps).toSorted())
  })

  // what the API refuses is English: a person who reads German fills in these fields
  it('says in German what is wrong with the fields that people fill in', () => {
    const said = {
      'is required': 'Wird gebraucht.',
      'must have at least 1 character': 'Darf nicht leer sein.',
      'must have at least 8 characters': 'Muss mindestens 8 Zeichen haben.',
      'must be at most 365 days, in seconds': 'Darf höchstens 365 Tage lang sein.',
      'must be an e-mail address such as ada@example.com': 'Muss eine E-Mail-Adresse wie ada@example.com sein.',
      'must be a whole number of hours': 'Muss eine ganze Zahl sein.',
      'must have at most 100 fields': 'Darf höchstens 100 Felder haben.',
      'must be of another kind': 'must be of another kind',
    }
    expect(Object.keys(said).map((each) => de.refusals.problem(each))).toEqual(Object.values(said))
  })

  // by its code alone each would be "not possible", or "too small" of a name that is missing
  it('says in German what is wrong with a rule of routing that its form lets through', () => {
    const faulty = [
      { to: { main: 1, bulk: 0 } },
      { to: { main: 2_000_000, bulk: 1 } },
      { to: 'x'.repeat(501) },
      { to: 'main', name: 'x'.repeat(101) },
      { to: 'main', when: { class: [] } },
      { to: 'main', when: { template: ['welcome'] } },
      { to: 'main', when: { senderDomain: ['example'] } },
      { to: 'main', when: { project: Array.from({ length: 1_001 }, (_, i) => `P${i}`) } },
      { to: 'main', when: { tag: { '': '*' } } },
      { to: 'main', when: { header: { 'X-Stream': 'x'.repeat(501) } } },
      { to: 'main', ramp: { to: 'bulk', from: '' } },
      { to: 'main', ramp: { to: 'bulk', from: '2026-12-01', start: 0, add: -1, backAt: 101 } },
    ]
    const refused = [...faulty.map((rule) => [rule]), Array.from({ length: 501 }, () => ({ to: 'main' }))]
    const problems = refused.map((rules) => {
      try {
        return parse(ChangeRoutes, untrusted({ rules }))
      } catch (error) {
        return EngineError.is(error) ? error.fields.map(({ message }) => message) : error
      }
    })
    expect(problems.flat().filter((each) => typeof each !== 'string' || de.refusals.problem(each) === each)).toEqual([])
    expect(de.refusals.problem('must not be empty', 'too_small')).toBe('Darf nicht leer sein.')
  })

  // what is refused by a code without words would be shown in English, or without a reason
  it('has German words for every code of a refusal and of a field, and for why a server is not reached', () => {
    const said = 'This is English.'
    const unknown = de.refusals.sentence(said, 'NO_SUCH_CODE')
    const never = new Set<string>(['startup', 'bug'])
    const codes = Object.entries(ERROR_KINDS).flatMap(([code, kind]) => (never.has(kind) ? [] : [code]))
    const wordless = (code: string) => [said, unknown].includes(de.refusals.sentence(said, code))
    expect(codes.filter((code) => de.refusals.byCode[code] === undefined && wordless(code))).toEqual([])
    expect(FIELD_CODES.filter((code) => de.refusals.problem(said, code) === said)).toEqual([])
    expect(de.refusals.problem('must be a number', 'custom')).toBe('Muss eine Zahl sein.')
    // each reason of the code, with something in its places
    const sources = readdirSync('plugins/webhooks-http').map((file) => `plugins/webhooks-http/${file}`)
    const reasons = [...sources, 'core/checks/ask-addresses.ts'].flatMap((file) => {
      const code = readFileSync(file, 'utf8')
      const given = [...code.matchAll(/NoAnswer\(\s*'\w+',([^)]*)|\breason(?:: | = )(['`][^\n]*)/g)]
      return given.flatMap(([, thrown = '', named = '']) => [...`${thrown}${named}`.matchAll(/'([^']+)'|`([^`]+)`/g)])
    })
    const words = reasons.map(([, plain, filled]) => (plain ?? filled ?? '').replace(/\$\{[^}]*\}/g, '5'))
    expect(words.length).toBeGreaterThan(9)
    expect(words.filter((reason) => de.reasons(reason) === `„${reason}“`)).toEqual([])
    expect(de.reasons('connect ECONNREFUSED 1.2.3.4:80')).toBe('„connect ECONNREFUSED 1.2.3.4:80“')
    // the reasons that campaigns, runs of workflows, jobs and mails are stored with, and why rows of a file are refused
    const files = globSync('core/{campaigns,contacts,suppressions,workflows/run,delivery,work}/*.ts')
    const sentences = files.flatMap((file) => {
      const given =
        /\b(?:statusReason: |run\.fail\(|error: |reason: |return (?=`(?:It was|The file)))(?:'([^'\n]+ [^'\n]+)'|`([^`]+ [^`]+)`)/g
      const found = [...readFileSync(file, 'utf8').matchAll(given)].map(([, plain, filled]) => plain ?? filled ?? '')
      return found
        .filter((each) => !/^\$\{(?:reason|keyOf)/.test(each))
        .map((each) => each.replace(/\$\{[^}]*\}/g, '5'))
        .filter((each) => /[a-z]{2}/.test(each))
    })
    expect(sentences.length).toBeGreaterThan(25)
    const rowProblem = (each: string) => each.replace(/^\w+: /, '')
    const isWordless = (each: string) =>
      de.reasons(each).includes(each) && de.refusals.problem(rowProblem(each)) === rowProblem(each)
    expect(sentences.filter(isWordless)).toEqual([])
    // the problems that the forms of these steps can show
    const steps = ['split', 'switch', 'wait-until', 'webhook', 'step-definition', '../date-fields'].flatMap((name) => {
      const code = readFileSync(`core/workflows/steps/${name}.ts`, 'utf8')
      const said = /(?:message[:=]|\bsay\('\w+',|isKind \?|name === 'field' \?) ?['`]([^'`]+)['`]/g
      return [...code.matchAll(said)].map(([, each = '']) => each.replace(/\$\{[^}]*\}/g, '5'))
    })
    expect(steps.length).toBeGreaterThan(12)
    expect(steps.filter((each) => de.refusals.problem(each) === each)).toEqual([])
    expect(de.reasons('Welcome: an unexpected error')).toBe('Welcome: ein unerwarteter Fehler')
    expect(de.reasons('550 5.1.1 no such user')).toBe('„550 5.1.1 no such user“')
  })

  it('has words for the frequent mistakes in Liquid, as the parser refuses them', () => {
    const rendering = new Rendering()
    const refusalOf = (source: string) => {
      try {
        rendering.compile(source, 'html', 'body')
      } catch (error) {
        if (EngineError.is(error)) return error.fields?.[0]?.message ?? ''
      }
      throw new Error(`${source} is not refused`)
    }
    const sources = [
      ...['Hi {{ name', 'Hi {{ name }, and more', '{{ }}', '{{ name | upcse }}', '{{ name | truncate 5 }}'],
      ...['{% if x', '{% if x %}a', '{% fi x %}', '{% endif %}', '{% else %}', '{% if plan = "pro" %}a{% endif %}'],
      ...['{{ name | default: “x” }}', '{{ name | default: „x“ }}', '{% raw %}x'],
    ]
    const refusals = sources.map(refusalOf)
    for (const { refusals: said } of [en, de])
      expect(refusals.filter((each) => /column|not (?:closed|found)/.test(said.problem(each)))).toEqual([])
    expect(en.refusals.problem(refusals[6] ?? '')).toContain('{% endif %}')
    expect(de.refusals.problem(refusals[0] ?? '')).toBe(
      '„{{ name“ hat kein Ende: Schließen Sie es mit }} (Zeile 1, Zeichen 4).',
    )
  })

  it('offers webhooks in the form of each service that has one, with its events', async () => {
    const offered = Object.entries(DIALECTS).map(([name, { events }]) => [name, events.toSorted()])
    type Made = { readonly webhookEvents: ForeignEvents }
    const made = globSync('server/compat/*/webhook-events.ts').map(async (file) => {
      const service = file.split('/')[2]
      const { webhookEvents }: Made = await import(`../../server/compat/${service}/webhook-events.ts`)
      return [service, webhookEvents.names.toSorted()]
    })
    expect(Object.fromEntries(offered)).toEqual(Object.fromEntries(await Promise.all(made)))
  })

  it('asks nothing of another host', () => {
    const hosts = files
      .filter(({ path }) => !path.startsWith('texts/') && path !== 'parts/starters.ts')
      .flatMap(({ path, code }) => [...code.matchAll(/https?:\/\/[\w.-]+/g)].map(([url]) => `${path}: ${url}`))
      .filter((found) => !/127\.0\.0\.1/.test(found))
    expect(hosts).toEqual([])
  })
})

/** A drawing without its words: its blocks, their fields and where they lead. */
function bonesOf(nodes: readonly DesignNode[] = []): readonly unknown[] {
  return nodes.map(({ type, attrs: { level, href, field } = {}, marks, content }) => ({
    ...{ type, level, href, field, marks },
    content: bonesOf(content),
  }))
}

/** The text of a drawing, block by block. */
function wordsOf(nodes: readonly DesignNode[] = []): readonly string[] {
  return nodes.flatMap(({ text, attrs: { text: label, link, fallback } = {}, content }) => [
    ...[text, label, link, fallback].filter((said) => typeof said === 'string'),
    ...wordsOf(content),
  ])
}

/** The Liquid in a mail, without what stands for a value that is missing. */
function liquidIn(source: string): readonly string[] {
  return (source.match(/\{[{%].*?[%}]\}/g) ?? []).map((tag) => tag.replace(/default: "[^"]*"/, 'default'))
}
