import { afterEach, describe, expect, it } from 'vitest'
import type { LanguageModel } from '../../core/ports/language-model.ts'
import { PATIENT } from './patient.ts'

/** The subject of the contract: a model that gives up after at most two seconds, and how what is behind it behaves. */
export interface LanguageModelSubject {
  readonly model: LanguageModel
  /** The secret that it logs in with, where there is one. */
  readonly secret?: string
  /** The next questions are answered so. */
  answers(text: string, tokens?: number): void
  /** The next questions are answered with nothing, garbage, more and more for ever, an error, or a part that breaks off. */
  fails(how: 'silence' | 'garbage' | 'endless' | 'error' | 'broken'): void
  /** As text: everything that has arrived there, one for each question. */
  arrived(): readonly string[]
  close(): Promise<void>
}

const QUESTION = { instructions: 'Answer in "one" word.\nNo more.', material: '{"text":"Grüße 💌 <b>"}' }

/** The promises of every language model. */
export function languageModelContract(setup: () => Promise<LanguageModelSubject>) {
  let subject: LanguageModelSubject | undefined
  const fresh = async () => {
    subject = await setup()
    return subject
  }
  const never = () => new AbortController().signal

  afterEach(async () => {
    await subject?.close()
    subject = undefined
  })

  describe('a language model', PATIENT, () => {
    it('says where questions go to, and what a project may use in a day', async () => {
      const { model } = await fresh()
      expect(model.host).toMatch(/\S/)
      expect(model.model).toMatch(/\S/)
      expect(model.maxAnswerTokens).toBeGreaterThan(0)
      expect(model.daily.requests).toBeGreaterThanOrEqual(0)
      expect(model.daily.tokens).toBeGreaterThanOrEqual(0)
    })

    it('answers with the text, and with the tokens that were counted', async () => {
      const { model, answers, arrived } = await fresh()
      answers('Guten Tag 💌\nund Grüße', 41)
      expect(await model.ask(QUESTION, never())).toEqual({
        outcome: 'answered',
        text: 'Guten Tag 💌\nund Grüße',
        tokens: 41,
      })
      expect(arrived()).toHaveLength(1)
    })

    it('sends exactly what it shows, and shows it without sending it', async () => {
      const { model, answers, arrived, secret } = await fresh()
      answers('ok')
      const shown = model.shown(QUESTION)
      expect(arrived()).toEqual([])
      for (const part of [QUESTION.instructions, QUESTION.material])
        expect(shown).toContain(JSON.stringify(part).slice(1, -1))
      await model.ask(QUESTION, never())
      expect(arrived().map((text) => JSON.parse(text))).toEqual([JSON.parse(shown)])
      if (secret !== undefined) expect(shown).not.toContain(secret)
    })

    it('never joins the material with the instructions', async () => {
      const { model, arrived, answers } = await fresh()
      answers('ok')
      await model.ask({ instructions: 'INSTRUCTED', material: 'MATERIAL' }, never())
      const texts = stringsIn(JSON.parse(arrived()[0] ?? '{}'))
      expect(texts.filter((text) => text.includes('INSTRUCTED'))).toEqual(['INSTRUCTED'])
      expect(texts.filter((text) => text.includes('MATERIAL'))).toEqual(['MATERIAL'])
    })

    it.each([
      'silence',
      'garbage',
      'endless',
      'error',
      'broken',
    ] as const)('has no answer within its time, and does not reject, when there is %s', async (how) => {
      const { model, fails, arrived, secret } = await fresh()
      fails(how)
      const begun = performance.now()
      const answer = await model.ask(QUESTION, never())
      expect(performance.now() - begun).toBeLessThan(10_000)
      expect(answer.outcome).toMatch(/^(refused|failed)$/)
      // a text that was not whole is none
      expect(answer).not.toHaveProperty('text')
      expect('reason' in answer && answer.reason).toMatch(/\S/)
      if (secret !== undefined) expect(JSON.stringify(answer)).not.toContain(secret)
      // it is asked once
      expect(arrived()).toHaveLength(1)
    })

    it('gives up at once when it is told to', async () => {
      const { model, fails } = await fresh()
      fails('silence')
      const controller = new AbortController()
      const asked = model.ask(QUESTION, controller.signal)
      const begun = performance.now()
      setTimeout(() => controller.abort(), 100)
      expect((await asked).outcome).toBe('failed')
      expect(performance.now() - begun).toBeLessThan(1_000)
    })

    it('sends nothing for what was given up before', async () => {
      const { model, answers, arrived } = await fresh()
      answers('ok')
      expect(await model.ask(QUESTION, AbortSignal.abort())).toMatchObject({ outcome: 'failed', unsent: true })
      expect(arrived()).toEqual([])
    })

    it('answers several at the same time, each its own', async () => {
      const { model, answers, arrived } = await fresh()
      answers('ok')
      const asked = ['a', 'b', 'c'].map((material) => model.ask({ instructions: 'Say ok.', material }, never()))
      expect((await Promise.all(asked)).map(({ outcome }) => outcome)).toEqual(['answered', 'answered', 'answered'])
      expect(new Set(arrived()).size).toBe(3)
    })
  })
}

/** All texts of a JSON value. */
function stringsIn(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}
