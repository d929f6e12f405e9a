import { TextInput, type TextInputProps } from '@mantine/core'
import type { ReactNode } from 'react'
import { useTexts } from '../../texts/texts.tsx'
import classes from './mail-head.module.css'

/** The subject and the preview line in one row above the mail, as an inbox shows them. */
export function MailHead({
  subject,
  preheader,
  ideas,
}: {
  readonly subject: TextInputProps
  readonly preheader: TextInputProps
  /** A button beside the subject, which proposes some. */
  readonly ideas?: ReactNode
}) {
  const t = useTexts()
  const { root = '', error = '' } = classes
  const inRow = { size: 'sm', classNames: { root, error } } as const
  return (
    <div className={classes.head}>
      <TextInput label={t.campaigns.subject} required maxLength={998} rightSection={ideas} {...inRow} {...subject} />
      <TextInput
        label={t.templates.preheader}
        placeholder={t.templates.preheaderHint}
        title={t.templates.preheaderHint}
        maxLength={255}
        {...inRow}
        {...preheader}
      />
    </div>
  )
}
