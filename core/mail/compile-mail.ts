import { EngineError, type FieldProblem } from '../errors.ts'
import type { Contact } from '../ports/store/contacts.ts'
import type { JsonObject } from '../values/json.ts'
import { LONGEST_NAME } from '../values/mailbox.ts'
import { readMailboxLines } from '../values/mailbox-list.ts'
import { refused } from '../values/parse.ts'
import { shortened } from '../values/shortened.ts'
import { FilterTroubles } from './render/filter-troubles.ts'
import type { Rendering } from './render/rendering.ts'
import type { MailVariables } from './render/scope.ts'
import type { CompiledTemplate } from './render/template.ts'
import { writtenBody } from './render/written-body.ts'
import type { CheckedRendering, TemplateSource } from './thread/mail-question.ts'

/** The templates of a mail; previews and real mails are rendered from the same ones. */
export interface BodyTemplates {
  readonly subject: CompiledTemplate
  readonly html: CompiledTemplate
  readonly text: CompiledTemplate
}

/**
 * Compiles a subject and a body; without its own `text` the plain-text part is made from the body. Throws EngineError
 * `VALIDATION_ERROR` when placeholders do not parse: each of `subject`, `body` and `text` with its line and column.
 */
export function compileMail(
  rendering: Rendering,
  { subject, html, text }: { readonly subject: string; readonly html: string; readonly text?: string },
): BodyTemplates {
  const problems: FieldProblem[] = []
  const attempt = (compile: () => CompiledTemplate): CompiledTemplate | undefined => {
    try {
      return compile()
    } catch (error) {
      if (!EngineError.is(error) || error.code !== 'VALIDATION_ERROR') throw error
      problems.push(...error.fields)
      return undefined
    }
  }
  const templates = {
    subject: attempt(() => rendering.compileSubject(subject)),
    html: attempt(() => rendering.compile(html, 'html', 'body')),
    text: text === undefined ? undefined : attempt(() => rendering.compile(text, 'text', 'text')),
  }
  if (problems.length > 0 || !templates.subject || !templates.html) throw refused(problems)
  return {
    subject: templates.subject,
    html: templates.html,
    text: templates.text ?? rendering.compileText(html, 'body'),
  }
}

/** Renders the templates. Throws EngineError `VALIDATION_ERROR` when one breaks a limit. */
export function renderMail(
  { subject, html, text }: BodyTemplates,
  variables: JsonObject,
  mailVariables: MailVariables,
): CheckedRendering {
  const { troubles = new FilterTroubles() } = mailVariables
  const given = mailVariables.troubles === undefined ? { ...mailVariables, troubles } : mailVariables
  return {
    subject: subjectLine(subject, variables, given),
    html: html.render(variables, given),
    text: text.render(variables, given),
    troubles: troubles.all,
  }
}

/** The template sources of a mail that were given. */
export function mailSources({ subject, preheader, body, fromName, replyTo }: WrittenMail): readonly TemplateSource[] {
  return [
    ...(subject == null ? [] : [{ kind: 'subject', source: subject, field: 'subject' } as const]),
    ...(preheader == null ? [] : [{ kind: 'subject', source: preheader, field: 'preheader' } as const]),
    ...(body == null ? [] : [{ kind: 'mail', source: body, field: 'body' } as const]),
    ...nameSources({ fromName, replyTo }, ''),
  ]
}

/** The names with placeholders in them; `prefix` begins their fields. */
export function nameSources({ fromName, replyTo }: WrittenNames, prefix: string): readonly TemplateSource[] {
  const forReplies = replyTo == null ? [] : readMailboxLines(replyTo)
  const names = [['fromName', fromName] as const, ...forReplies.map(({ name }) => ['replyTo', name] as const)]
  return names.flatMap(([field, source]) =>
    source != null && isTemplate(source) ? [{ kind: 'subject', source, field: prefix + field } as const] : [],
  )
}

interface WrittenNames {
  readonly fromName?: string | null | undefined
  /** As `readMailboxLines` reads it. */
  readonly replyTo?: string | null | undefined
}

interface WrittenMail extends WrittenNames {
  readonly subject?: string | null | undefined
  readonly preheader?: string | null | undefined
  readonly body?: string | null | undefined
}

/** Compiles a source as the kind of template it is. Throws EngineError `VALIDATION_ERROR`. */
export function compileSource(rendering: Rendering, { kind, source, field }: TemplateSource): void {
  if (kind === 'subject') rendering.compileSubject(source, field)
  else if (kind === 'mail') rendering.compileText(writtenBody(source), field)
  else rendering.compile(kind === 'html' ? writtenBody(source) : source, kind, field)
}

/** The variables of a mail to the contact: its data, over it those of the call, and its subscription. */
export function variablesFor(contact: Contact, own: JsonObject): JsonObject {
  return { ...contact.data, ...own, subscribed: contact.subscribed }
}

/** The subject line. A value must not break out of it (CWE-93), and the mail should not fail because of it. */
export function subjectLine(subject: CompiledTemplate, variables: JsonObject, mailVariables: MailVariables): string {
  return subject.render(variables, mailVariables).replace(/[\r\n\0]+/g, ' ')
}

/**
 * The template of a name; undefined when it is the same for everybody. A name that does not parse is one that was
 * stored before names were filled in: it stays unchanged.
 */
export function nameTemplate(rendering: Rendering, name: string | undefined): CompiledTemplate | undefined {
  if (name === undefined || !isTemplate(name)) return undefined
  try {
    return rendering.compileSubject(name)
  } catch (error) {
    if (EngineError.is(error)) return undefined
    throw error
  }
}

/** A name filled in: one line, shortened to what names may have. */
export function nameLine(name: CompiledTemplate, variables: JsonObject, mailVariables: MailVariables): string {
  return shortened(subjectLine(name, variables, mailVariables).trim(), LONGEST_NAME)
}

function isTemplate(text: string): boolean {
  return /\{[{%]/.test(text)
}
