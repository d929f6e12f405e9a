import { Route, Switch } from 'wouter'
import { MailList } from './mail-list.tsx'
import { MailPage } from './mail-page.tsx'

/** Every mail, with what became of it. */
export default function Mails() {
  return (
    <Switch>
      <Route path="/">
        <MailList />
      </Route>
      <Route path="/:id">{({ id }) => <MailPage key={id} id={id} />}</Route>
    </Switch>
  )
}
