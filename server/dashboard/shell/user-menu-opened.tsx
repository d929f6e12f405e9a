import { Menu, Text, useMantineColorScheme } from '@mantine/core'
import { IconCheck, IconLogout, IconServer, IconUser } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useLocation } from 'wouter'
import { answerOf, apiOf } from '../api/client.ts'
import { SESSION, useSession } from '../api/session.tsx'
import { dropFiles } from '../parts/kept-files.ts'
import { useNotices } from '../parts/notices.ts'
import { LANGUAGES, type Language, useLanguage, useTexts } from '../texts/texts.tsx'
import type { MenuButton } from './late-menu.tsx'
import { OpenedMenu } from './opened-menu.tsx'
import { toApp } from './to-app.ts'

/** Who is signed in, how the pages look, and the way out. */
export default function UserMenuOpened({ button }: { readonly button: MenuButton }) {
  const t = useTexts()
  const { user } = useSession()
  const notices = useNotices()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const { language, choose } = useLanguage()
  const speak = (wanted: Language) => {
    choose(wanted)
    // what is mailed about the account is in this language from now on; of a person of another app, nothing is
    if (!user.host) void answerOf(apiOf().PATCH('/users/@me', { body: { language: wanted } })).catch(notices.refused)
  }
  const schemes = [
    ['light', t.shell.light],
    ['dark', t.shell.dark],
    ['auto', t.shell.automatic],
  ] as const
  return (
    <OpenedMenu position="bottom-end" width={240} button={button}>
      <Menu.Label>
        <Text size="xs" truncate>
          {user.email}
        </Text>
      </Menu.Label>
      <Menu.Item component={Link} href={toApp('/account')} leftSection={<IconUser size={14} />}>
        {t.shell.account}
      </Menu.Item>
      {user.operator ? (
        <Menu.Item component={Link} href={toApp('/operator')} leftSection={<IconServer size={14} />}>
          {t.operator.title}
        </Menu.Item>
      ) : null}
      <Menu.Divider />
      <Menu.Label>{t.shell.appearance}</Menu.Label>
      {schemes.map(([scheme, text]) => (
        <Menu.Item
          key={scheme}
          role="menuitemradio"
          aria-checked={colorScheme === scheme}
          leftSection={colorScheme === scheme ? <IconCheck size={14} /> : <span className="mw-blank" />}
          onClick={() => setColorScheme(scheme)}
        >
          {text}
        </Menu.Item>
      ))}
      <Menu.Label>{t.shell.language}</Menu.Label>
      {Object.entries(LANGUAGES).map(([key, name]) => (
        <Menu.Item
          key={key}
          lang={key}
          role="menuitemradio"
          aria-checked={language === key}
          leftSection={language === key ? <IconCheck size={14} /> : <span className="mw-blank" />}
          onClick={() => speak(key as Language)}
        >
          {name}
        </Menu.Item>
      ))}
      <SignOut />
    </OpenedMenu>
  )
}

/** The way out. Where the app around the dashboard signs people in, it also signs them out. */
function SignOut() {
  const t = useTexts()
  const { user } = useSession()
  const queries = useQueryClient()
  const notices = useNotices()
  const [, navigate] = useLocation()
  const signOut = async () => {
    try {
      await answerOf(apiOf().GET('/auth/logout'))
    } catch (error) {
      // without that, a person would leave a session open that they believe has ended
      notices.refused(error as Error)
      return
    }
    await dropFiles()
    queries.clear()
    queries.setQueryData(SESSION, null)
    navigate(toApp('/sign-in'))
  }
  if (user.host?.logOut === null) return null
  const how = user.host ? { component: 'a' as const, href: user.host.logOut } : { onClick: () => void signOut() }
  return (
    <>
      <Menu.Divider />
      <Menu.Item leftSection={<IconLogout size={14} />} {...how}>
        {t.shell.signOut}
      </Menu.Item>
    </>
  )
}
