import { Route, Switch } from 'wouter'
import { AdminsOnly } from '../parts/admins-only.tsx'
import { NewTemplate } from './new-template.tsx'
import { TemplateList } from './template-list.tsx'
import { TemplatePage } from './template-page.tsx'

/** Mails that are used again. */
export default function Templates() {
  return (
    <Switch>
      <Route path="/">
        <TemplateList />
      </Route>
      <Route path="/new">
        <AdminsOnly>
          <NewTemplate />
        </AdminsOnly>
      </Route>
      <Route path="/:id">{({ id }) => <TemplatePage key={id} id={id} />}</Route>
    </Switch>
  )
}
