import { workerData } from 'node:worker_threads'
import { EngineError, type FieldProblem } from '../../errors.ts'
import type { JsonObject } from '../../values/json.ts'
import { refused } from '../../values/parse.ts'
import { processorTime } from '../../values/processor-time.ts'
import { RecentlyUsed } from '../../values/recently-used.ts'
import { answerQuestions, type Handed } from '../../work/answer-questions.ts'
import { compileMail, compileSource, renderMail } from '../compile-mail.ts'
import { CompiledMail, KEPT, KEPT_BYTES, validatorOf } from '../compiled-mail.ts'
import { bodyHashOf } from '../dkim/relaxed.ts'
import { Links } from '../links/links.ts'
import { linksOnly } from '../links-only.ts'
import type { MadeMail } from '../makers.ts'
import { Composing } from '../mime/composing.ts'
import { Rendering } from '../render/rendering.ts'
import { SlowRender } from '../render/slow-render.ts'
import {
  type ContentQuestion,
  type MailQuestion,
  type MailThreadData,
  type TemplateSource,
  UNKNOWN,
} from './mail-question.ts'

/** The worker thread of `MailThreads`. It loads only the code that makes mails. */

/** How long one rendering may take, in milliseconds. */
const RENDER_MS = 1_000

const { publicUrl, secret, validationMs } = workerData as MailThreadData
const links = new Links({ ...(publicUrl === undefined ? {} : { publicUrl }), secret: Buffer.from(secret) })
const rendering = new Rendering(RENDER_MS)
const composing = new Composing()
const mails = new RecentlyUsed<CompiledMail>(KEPT, KEPT_BYTES, (_id, mail) => mail.bytes)

answerQuestions((question: MailQuestion): Handed => {
  switch (question.ask) {
    case 'check':
      check(question.sources)
      return { answer: true }
    case 'render': {
      const { subject, html, fill } = question
      return { answer: renderMail(compileMail(rendering, { subject, html }), fill.variables, fill.mailVariables) }
    }
    case 'links':
      return { answer: linksOnly(rendering, question.content) }
    default: {
      const mail = mailOf(question)
      return mail === undefined ? { answer: UNKNOWN } : about(mail, question)
    }
  }
})

function check(sources: readonly TemplateSource[]): void {
  const problems: FieldProblem[] = []
  for (const source of sources) {
    try {
      compileSource(rendering, source)
    } catch (error) {
      if (!EngineError.is(error)) throw error
      problems.push(...error.fields)
    }
  }
  if (problems.length > 0) throw refused(problems)
}

function mailOf({ id, content }: ContentQuestion): CompiledMail | undefined {
  const known = mails.get(id)
  if (known || content === undefined) return known
  const mail = new CompiledMail(content, { rendering, composing, links })
  mails.set(id, mail)
  return mail
}

function about(mail: CompiledMail, question: ContentQuestion): Handed {
  switch (question.ask) {
    case 'validate':
      validateAll(mail, question.variables)
      return { answer: true }
    case 'keys':
      return { answer: mail.asked }
    case 'rendered':
      return { answer: mail.render(question.email, question.ways) }
    case 'finished':
      return { answer: mail.finish(question.email, question.ways) }
    case 'target':
      return { answer: mail.target(question.email, question.number) }
    case 'mail': {
      const { email, date, unwanted, ways } = question
      const filled = mail.fill(email, date, { unwanted, ways })
      // a copy, since the composer's memory holds other messages, too
      const message = new Uint8Array(filled.composed())
      const made: MadeMail = {
        subject: filled.subject,
        message,
        bodyHash: bodyHashOf(Buffer.from(message.buffer)),
        troubles: filled.troubles,
      }
      return { answer: made, transfer: [message.buffer] }
    }
  }
}

function validateAll({ content }: CompiledMail, all: readonly JsonObject[]): void {
  const validate = validatorOf(rendering, content)
  const begun = processorTime()
  for (const variables of all) {
    if (processorTime() - begun > validationMs) throw new SlowRender('body')
    validate(variables)
  }
}
