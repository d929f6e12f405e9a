import { Anchor, Modal, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { APP_PATH } from '../api/base.ts'
import { noteSignedIn } from '../api/ended.ts'
import { askSession, SESSION, useSession } from '../api/session.tsx'
import { useOnceMounted } from '../parts/once-mounted.ts'
import { HostSignIn, PasswordForm, Providers } from '../sign-in/ways-in.tsx'
import { useFirstTexts } from '../texts/texts.tsx'

/** Asks who sat here to sign in again, above the page, which stays as it is. Its requests wait until then. */
export default function SignInAgain() {
  const t = useFirstTexts()
  const { user } = useSession()
  const queries = useQueryClient()
  const [other, setOther] = useState<string | undefined>()
  const isOpen = useOnceMounted(true)
  const goOn = async () => {
    const session = await askSession()
    if (session === null) return
    if (session.user.id !== user.id) return setOther(session.user.email)
    queries.setQueryData(SESSION, session)
    noteSignedIn()
  }
  useEffect(() => {
    // by a provider, or in another tab
    const onFocus = () => void goOn().catch(() => {})
    addEventListener('focus', onFocus)
    return () => removeEventListener('focus', onFocus)
  })
  return (
    <Modal
      opened={isOpen}
      onClose={() => {}}
      withCloseButton={false}
      closeOnEscape={false}
      closeOnClickOutside={false}
      title={t.signIn.endedTitle}
      centered
      zIndex={600}
    >
      <Stack>
        <Text size="sm">{other === undefined ? t.signIn.endedHint : t.signIn.endedOther(other, user.email)}</Text>
        {user.host === null ? <PasswordForm email={user.email} onDone={() => void goOn()} /> : null}
        {user.host === null ? <Providers to="/" newTab /> : <HostSignIn to="/" newTab />}
        <Anchor href={`${APP_PATH}/sign-in`} size="sm">
          {t.signIn.endedLeave}
        </Anchor>
      </Stack>
    </Modal>
  )
}
