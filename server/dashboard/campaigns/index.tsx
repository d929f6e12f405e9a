import { Route, Switch } from 'wouter'
import { AdminsOnly } from '../parts/admins-only.tsx'
import { CampaignList } from './campaign-list.tsx'
import { CampaignPage } from './campaign-page.tsx'
import { NewCampaign } from './new-campaign.tsx'

/** Campaigns: one mail to many. */
export default function Campaigns() {
  return (
    <Switch>
      <Route path="/">
        <CampaignList />
      </Route>
      <Route path="/new">
        <AdminsOnly>
          <NewCampaign />
        </AdminsOnly>
      </Route>
      <Route path="/:id">{({ id }) => <CampaignPage key={id} id={id} />}</Route>
    </Switch>
  )
}
