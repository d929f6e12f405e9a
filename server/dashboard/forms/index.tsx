import { Button } from '@mantine/core'
import { IconForms, IconPlus } from '@tabler/icons-react'
import { Link, Route, Switch } from 'wouter'
import { useMay } from '../api/project.tsx'
import { CopyCurl } from '../parts/copy.tsx'
import { Empty } from '../parts/empty.tsx'
import { useFormats } from '../parts/formats.ts'
import { List } from '../parts/list.tsx'
import { Moment } from '../parts/moment.tsx'
import { OnlyFor } from '../parts/only-for.tsx'
import { Page } from '../parts/page.tsx'
import { Pill } from '../parts/pill.tsx'
import { MarkedName } from '../parts/together/marked-name.tsx'
import { useTexts } from '../texts/texts.tsx'
import { FormPage } from './form-page.tsx'
import type { SignUpForm } from './form-values.ts'
import { NewForm } from './new-form.tsx'

/** The forms by which people sign up. */
export default function Forms() {
  const t = useTexts()
  return (
    <Switch>
      <Route path="/">
        <FormList />
      </Route>
      <Route path="/new">
        <OnlyFor area="contacts">
          <Page title={t.forms.new} trail={[{ text: t.forms.title, href: '/' }]}>
            <NewForm />
          </Page>
        </OnlyFor>
      </Route>
      <Route path="/:id">{({ id }) => <FormPage key={id} id={id} />}</Route>
    </Switch>
  )
}

function FormList() {
  const t = useTexts()
  const may = useMay()
  const { number } = useFormats()
  const make = may.contacts ? (
    <Button component={Link} href="/new" leftSection={<IconPlus size={16} />}>
      {t.forms.new}
    </Button>
  ) : null
  const figure = (key: 'shown' | 'submitted' | 'confirmed') =>
    ({ key, title: t.forms[key], align: 'right', cell: (form: SignUpForm) => number(form[key]) }) as const
  return (
    <Page
      title={t.forms.title}
      hint={t.forms.hint}
      actions={
        <>
          <CopyCurl path="/forms" />
          {make}
        </>
      }
    >
      <List<SignUpForm>
        noun="forms"
        label={t.forms.title}
        ask={(api, query, signal) => api.GET('/forms', { params: { query }, signal })}
        href={({ id }) => `/${id}`}
        rowName={({ name }) => name}
        columns={[
          {
            key: 'name',
            title: t.forms.name,
            cell: ({ id, name, version }) => <MarkedName kind="forms" id={id} name={name} version={version} />,
          },
          {
            key: 'active',
            title: t.anywhere.status,
            cell: ({ active }) => <Pill status={active ? 'ENABLED' : 'DISABLED'} />,
          },
          figure('shown'),
          figure('submitted'),
          figure('confirmed'),
          { key: 'updated', title: t.anywhere.updated, cell: ({ updatedAt }) => <Moment at={updatedAt} /> },
        ]}
        empty={<Empty icon={<IconForms />} title={t.forms.empty} hint={t.forms.emptyHint} action={make} />}
      />
    </Page>
  )
}
