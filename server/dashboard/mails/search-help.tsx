import { ActionIcon, Popover, Text } from '@mantine/core'
import { IconHelp } from '@tabler/icons-react'
import { useTexts } from '../texts/texts.tsx'
import classes from './mail-page.module.css'

/** The words of a search, each with an example. */
const WORDS = [
  ['to', 'to:ada@example.com'],
  ['domain', 'domain:example.com'],
  ['from', 'from:news@example.com'],
  ['subject', 'subject:"your order"'],
  ['status', 'status:bounced'],
  ['tag', 'tag:kind=invoice'],
  ['msgid', 'msgid:<…@example.com>'],
  ['after', 'after:2026-01-31'],
  ['before', 'before:2026-02-28'],
] as const

/** How to search, at a button beside the field. */
export function SearchHelp() {
  const t = useTexts()
  return (
    <Popover position="bottom-start" width={340} trapFocus>
      <Popover.Target>
        <ActionIcon variant="subtle" color="gray" size="lg" aria-label={t.mails.searchTitle}>
          <IconHelp size={18} />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown tabIndex={0}>
        <Text size="sm" mb="xs">
          {t.mails.searchHelp}
        </Text>
        <dl className={classes.words}>
          {WORDS.map(([word, example]) => (
            <div key={word}>
              <dt>{example}</dt>
              <dd>{t.mails.searchWords[word]}</dd>
            </div>
          ))}
        </dl>
      </Popover.Dropdown>
    </Popover>
  )
}
