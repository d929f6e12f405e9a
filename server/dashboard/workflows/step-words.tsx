import { Anchor } from '@mantine/core'
import { Link } from 'wouter'
import { useProjectId } from '../api/project.tsx'
import { Breakable } from '../parts/breakable.tsx'
import { eventInWords } from '../parts/event-in-words.ts'
import { fieldInWords } from '../parts/field-in-words.ts'
import { type FieldTypes, inWords, type Names } from '../parts/filter/language.ts'
import { useFormats } from '../parts/formats.ts'
import { TemplateName } from '../parts/name-of.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { Step } from './graph.ts'
import { templateOf } from './mail-part.tsx'
import { filterOf, inUnit, type Share } from './step-values.ts'
import { untilWords } from './until.ts'

/** The effect of a step in words, by its settings. */
export function StepWords({
  step: { type, config, templateId },
  fields,
  workflow,
}: {
  readonly step: Step
  /** The workflow that it is of. */
  readonly workflow: string
  /** The names of fields, for conditions. */
  readonly fields: { readonly types: FieldTypes; readonly names: Names }
}) {
  const t = useTexts()
  const project = useProjectId()
  const given: Readonly<Record<string, unknown>> = { ...config }
  const text = (name: string) => (given[name] === undefined || given[name] === null ? '' : String(given[name]))
  const { branches } = { branches: [] as readonly Share[], ...config }
  const formats = useFormats()
  const { lasting } = formats
  const timeout = () => {
    const { amount, unit } = inUnit(given.timeout)
    return lasting(Number(amount), unit)
  }
  const words = () => {
    switch (type as string) {
      case 'SEND_EMAIL': {
        const id = templateId ?? text('templateId')
        const hours = given.unlessMailedWithin
        const unless = typeof hours === 'number' ? t.workflows.unlessMailedIn(t.workflows.lastHours(hours)) : ''
        // a step of a program may have a mail of its own
        const mail = text('subject') || (given.body == null ? t.workflows.noMail : '')
        if (id === '') return [mail, unless].filter(Boolean).join(', ')
        return (
          <>
            <Anchor component={Link} href={templateOf(project, id, workflow)} inherit>
              <TemplateName id={id} />
            </Anchor>
            {unless === '' ? '' : `, ${unless}`}
          </>
        )
      }
      case 'DELAY':
        return lasting(Number(text('amount')), text('unit'))
      case 'WAIT_UNTIL':
        return untilWords(
          { ...given, ...(given.field == null ? {} : { field: fieldInWords(text('field')) }) },
          t,
          lasting,
        )
      case 'WAIT_FOR_EVENT':
        return [eventInWords(text('eventName'), t), given.timeout == null ? '' : t.workflows.atMost(timeout())]
          .filter(Boolean)
          .join(', ')
      case 'CONDITION':
        return inWords(filterOf(given), t, fields.types, fields.names, formats)
      case 'SWITCH':
        return t.workflows.byField(fieldInWords(text('field')))
      case 'SPLIT':
        return branches.map(({ branch, percent }) => `${branch}: ${formats.percent(percent)}`).join(', ')
      case 'WEBHOOK':
        return <Breakable text={`${text('method') || 'POST'} ${text('url')}`} />
      case 'UPDATE_CONTACT': {
        const { subscribed } = given
        const changes = [
          subscribed === true ? t.workflows.subscribe : subscribed === false ? t.workflows.unsubscribe : '',
          ...Object.entries(given.data ?? {}).map(([name, value]) => `${name} = ${JSON.stringify(value)}`),
        ]
        return changes.filter(Boolean).join(', ') || t.workflows.changesNothing
      }
      case 'EXIT':
        return text('reason')
      default:
        return null
    }
  }
  const said = words()
  if (said === null || said === '') return null
  return <>{said}</>
}
