import { Button, Group, Notification, Stack, Text } from '@mantine/core'
import { type ReactNode, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { useBrowserLocation } from 'wouter/use-browser-location'
import { useFirstTexts } from '../texts/texts.tsx'
import classes from './notices.module.css'
import { type Notice, type Notices, NoticesContext } from './notices.ts'
import { Suggestion, wordsOf } from './refusals.tsx'

/**
 * How long a line stays that says that something was done, in milliseconds. Refusals stay until they are closed, or
 * until another page is open, of which they say nothing.
 */
const SHOWN = 6000
const MOST = 4

/** Shows the lines of everything inside. */
export function NoticeList({ children }: { readonly children: ReactNode }) {
  const t = useFirstTexts()
  const [shown, setShown] = useState<readonly Notice[]>([])
  const next = useRef(1)
  const close = useCallback((id: number) => setShown((all) => all.filter((each) => each.id !== id)), [])
  const [page] = useBrowserLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: the page that they are about is left
  useEffect(() => setShown((all) => all.filter(({ kind }) => kind === 'done')), [page])
  const notices = useMemo<Notices>(() => {
    const show = (notice: Omit<Notice, 'id'>) => {
      const id = next.current++
      // what is said once more needs no second line: on a phone, three would hide a third of the page
      const isAgain = (each: Notice) =>
        each.text === notice.text && each.undo === undefined && notice.undo === undefined
      setShown((all) => [...all.filter((each) => !isAgain(each)), { ...notice, id }].slice(-MOST))
      if (notice.kind === 'done') setTimeout(() => close(id), notice.undo ? SHOWN * 2 : SHOWN)
    }
    return {
      done: (text, undo) => show({ kind: 'done', text, ...(undo === undefined ? {} : { undo }) }),
      refused(error, project) {
        show({ kind: 'refused', text: wordsOf(error, t).message, error, project })
      },
    }
  }, [close, t])
  return (
    <NoticesContext value={notices}>
      {children}
      <Stack className={classes.list} gap="xs" role="status" aria-live="polite">
        {shown.map(({ id, kind, text, error, project, undo }) => (
          <Notification
            key={id}
            color={kind === 'done' ? 'teal' : 'red'}
            onClose={() => close(id)}
            closeButtonProps={{ 'aria-label': t.anywhere.close }}
            withBorder
          >
            <Group justify="space-between" wrap="nowrap" align="flex-start">
              <div>
                <Text size="sm">{text}</Text>
                {error === undefined ? null : <Suggestion error={error} project={project ?? ''} />}
              </div>
              {undo === undefined ? null : (
                <Button
                  size="compact-sm"
                  variant="subtle"
                  miw="max-content"
                  onClick={() => {
                    undo()
                    close(id)
                  }}
                >
                  {t.anywhere.undo}
                </Button>
              )}
            </Group>
          </Notification>
        ))}
      </Stack>
    </NoticesContext>
  )
}
