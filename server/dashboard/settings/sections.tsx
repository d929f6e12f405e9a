import { Autocomplete, NativeSelect, NavLink, Paper, Stack } from '@mantine/core'
import { useScrollSpy } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { SectionHead } from '../parts/section-head.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './sections.module.css'

/** A part of a long form. */
export interface Section {
  /** Its place in the address, behind `#`. */
  readonly key: string
  readonly title: string
  readonly hint?: string
  readonly fields: ReactNode
}

interface FoundField {
  readonly label: string
  readonly hint: string
  readonly control: HTMLElement
}

/**
 * The parts of a long form, one card each, with a list of them at the side (a menu on a phone) and a search that leads to
 * a field. When the form is refused, its first refused field gets the focus.
 */
export function Sections({ of: sections, error }: { readonly of: readonly Section[]; readonly error: unknown }) {
  const t = useTexts()
  const box = useRef<HTMLDivElement>(null)
  const spy = useScrollSpy({
    selector: `.${classes.section}`,
    getDepth: () => 1,
    getValue: ({ id }) => id,
    offset: 96,
  })
  const active = spy.data[spy.active]?.value ?? sections[0]?.key
  const jump = (key: string) => {
    history.replaceState(history.state, '', addressOf(key))
    document.getElementById(key)?.scrollIntoView()
  }
  useEffect(() => {
    const key = location.hash.slice(1)
    if (key !== '') document.getElementById(key)?.scrollIntoView()
  }, [])
  useEffect(() => {
    if (error !== undefined) reach(box.current?.querySelector<HTMLElement>('[aria-invalid="true"]'))
  }, [error])
  return (
    <div className={classes.layout}>
      <nav className={classes.side} aria-label={t.settings.sectionsLabel}>
        <FieldSearch within={() => box.current} />
        <NativeSelect
          hiddenFrom="md"
          aria-label={t.settings.sectionsLabel}
          data={sections.map(({ key, title }) => ({ value: key, label: title }))}
          value={active}
          onChange={({ currentTarget }) => jump(currentTarget.value)}
        />
        <Stack gap={0} visibleFrom="md">
          {sections.map(({ key, title }) => (
            <NavLink
              key={key}
              href={addressOf(key)}
              label={title}
              active={key === active}
              {...(key === active ? { 'aria-current': 'true' as const } : {})}
              onClick={(event) => {
                event.preventDefault()
                jump(key)
              }}
            />
          ))}
        </Stack>
      </nav>
      <Stack ref={box}>
        {sections.map(({ key, title, hint, fields }) => (
          <Paper
            key={key}
            id={key}
            withBorder
            p="lg"
            component="section"
            aria-label={title}
            className={classes.section}
          >
            <SectionHead title={title} hint={hint} mb="sm" />
            <Stack>{fields}</Stack>
          </Paper>
        ))}
      </Stack>
    </div>
  )
}

/** The whole address, as the page has a base of its own, to which `#…` alone would lead. */
function addressOf(key: string): string {
  return `${location.pathname}${location.search}#${key}`
}

/** Searches the labels and hints of all fields, and leads to the chosen one. */
function FieldSearch({ within }: { readonly within: () => HTMLElement | null }) {
  const t = useTexts()
  const [fields, setFields] = useState<readonly FoundField[]>([])
  const [typed, setTyped] = useState('')
  const words = typed.toLowerCase().split(/\s+/)
  const labels = fields
    .filter(({ label, hint }) => words.every((word) => `${label} ${hint}`.toLowerCase().includes(word)))
    .map(({ label }) => label)
  const go = (label: string) => {
    const field = fields.find((each) => each.label === label)
    // when the list is closed, which puts the label into the search and takes the focus back to it
    setTimeout(() => {
      setTyped('')
      reach(field?.control)
    })
  }
  return (
    <Autocomplete
      aria-label={t.settings.findSetting}
      placeholder={t.settings.findSetting}
      leftSection={<IconSearch size={16} />}
      data={[...new Set(labels)]}
      filter={({ options }) => options}
      value={typed}
      onChange={setTyped}
      onFocus={() => setFields(fieldsIn(within()))}
      onOptionSubmit={go}
      onKeyDown={(event) => {
        if (event.key !== 'Enter') return
        // or else it would save the form around it
        event.preventDefault()
        const [first] = labels
        if (typed !== '' && first !== undefined) go(first)
      }}
      maxLength={100}
      comboboxProps={{ width: 260, position: 'bottom-start' }}
    />
  )
}

/** Every labelled field as it stands on the page, with its hint and the title of its section. */
function fieldsIn(box: HTMLElement | null): readonly FoundField[] {
  return [...(box?.querySelectorAll('label') ?? [])].flatMap(({ control, textContent }) => {
    if (control === null) return []
    const hints = (control.getAttribute('aria-describedby') ?? '').split(' ').map((id) => document.getElementById(id))
    const section = control.closest('section')?.ariaLabel ?? ''
    const hint = [section, ...hints.map((each) => each?.textContent ?? '')].join(' ')
    return [{ label: textContent.replace(/\*$/, '').trim(), hint, control }]
  })
}

function reach(control: HTMLElement | null | undefined): void {
  control?.scrollIntoView({ block: 'center' })
  control?.focus({ preventScroll: true })
}
