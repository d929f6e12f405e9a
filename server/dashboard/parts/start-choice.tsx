import { Group, Radio, SimpleGrid, Text } from '@mantine/core'
import { useMemo } from 'react'
import { useProject } from '../api/project.tsx'
import { useTexts } from '../texts/texts.tsx'
import { compose } from './mail-editor/compose.ts'
import classes from './start-choice.module.css'
import { blankIn, type Starter, startersIn } from './starters.ts'
import { Thumbnail } from './thumbnail.tsx'

/** A mail with nothing in it but where to write, among the starts. */
export const BLANK_START = 'blank'

/** Chooses what a mail begins with, by its picture: a blank one, one of ours or one of the project's templates. */
export function StartChoice({
  label,
  description,
  value,
  onChange,
  type,
  own = [],
}: {
  readonly label: string
  readonly description?: string
  /** `blank`, the key of a starter, or the id of a template. */
  readonly value: string
  readonly onChange: (start: string) => void
  /** Only starters for mails of this type. */
  readonly type?: Starter['type']
  readonly own?: readonly { readonly id: string; readonly name: string; readonly body: string }[]
}) {
  const t = useTexts()
  const project = useProject()
  const starts = useMemo(() => {
    const drawn = (design: Starter['design']) => compose(design, project)
    const ours = startersIn(t).filter((starter) => type === undefined || starter.type === type)
    return [
      { value: BLANK_START, name: t.campaigns.blank, html: drawn(blankIn(t)) },
      ...ours.map(({ key, design }) => ({ value: key, name: t.starters.names[key], html: drawn(design) })),
      ...own.map(({ id, name, body }) => ({ value: id, name, html: body })),
    ]
  }, [project, type, own, t])
  return (
    <Radio.Group label={label} description={description} value={value} onChange={onChange}>
      <SimpleGrid cols={{ base: 2, xs: 3, md: 4 }} spacing="sm" mt="xs">
        {starts.map(({ value: start, name, html }) => (
          <Radio.Card key={start} value={start} className={classes.card} aria-label={name}>
            <Thumbnail html={html} title={name} />
            <Group gap="xs" p="xs" wrap="nowrap">
              <Radio.Indicator visibleFrom="xs" />
              <Text size="sm" lineClamp={2} className={classes.name}>
                {name}
              </Text>
            </Group>
          </Radio.Card>
        ))}
      </SimpleGrid>
    </Radio.Group>
  )
}
