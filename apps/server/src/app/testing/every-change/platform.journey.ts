import { seedMinimal } from '../../../db/seeds/minimal/minimal.seed.ts'
import { hashPassword } from '../../../modules/identity/index.ts'
import { PASSWORD } from '../assistant-house.ts'
import type { ChangeHouse } from './house.ts'
import { proven } from './people.journey.ts'

const inDays = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString()

/** What the platform's operators do. */
export async function platform(house: ChangeHouse): Promise<void> {
  const { go, call, owner, db, container } = house
  const passwordHash = await hashPassword(PASSWORD)
  await house.arranged(
    seedMinimal(db.database, async () => ({
      username: 'operator',
      passwordHash,
      displayName: 'On duty',
      kind: 'operator',
    })),
  )
  const as = await proven(house, 'operator')
  const made = await go('operator.createCompany', {
    as,
    body: { name: 'Made', username: 'made.owner', status: 'inactive', expiresAt: null },
  })
  const params = { id: made.id as string }
  await go('operator.setTerm', { as, params, body: { status: 'active', expiresAt: inDays(30) } })
  await go('operator.setQuotas', { as, params, body: { devices: 10 } })
  await go('operator.freeze', { as, params, body: { reason: 'unpaid' } })
  await go('operator.unfreeze', { as, params })
  await call('POST', '/company/support-access', owner, { hours: 2, mayWrite: true })
  await go('operator.enter', { as, params: { id: house.tenantId } })
  const { items } = await call<{ items: { id: string; kind: string }[] }>('GET', '/operator/approvals?state=open', as)
  const { id, kind } = items[0]!
  await go('operator.decide', { as, params: { kind, id }, body: { accept: true, reason: '' } })

  const words = { zh: '维护', en: 'Maintenance' }
  const text = { level: 'info', title: words, text: words, statuses: null, tenantIds: null, expiresAt: inDays(2) }
  const notice = await go('operator.createAnnouncement', { as, body: text })
  const told = { as, params: { id: notice.id as string } }
  await go('operator.updateAnnouncement', { ...told, body: { ...text, level: 'warning', version: notice.version } })
  await go('operator.publishAnnouncement', told)
  await go('operator.withdrawAnnouncement', told)
  const draft = await go('operator.createAnnouncement', { as, body: text })
  await go('operator.removeAnnouncement', { as, params: { id: draft.id } })
  await go('operator.setSettings', {
    as,
    body: { contact: { name: 'Desk', phone: '1', email: 'desk@acme.example' }, trialDays: 20 },
  })

  const item = await go('menuEditor.create', { as, body: { name: '页', ename: 'Page', path: '/page' } })
  await go('menuEditor.update', { as, params: { id: item.id }, body: { version: item.version, name: '新页' } })
  await go('menuEditor.remove', { as, params: { id: item.id } })
  await go('menuEditor.reset', { as })

  // The runner stands still, so that a task waits to be cancelled.
  await container.tasks.runner.stop()
  const { taskId } = await go('audit.verify')
  await go('operator.cancelJob', { as, params: { id: taskId } })
  await go('operator.retryJob', { as, params: { id: taskId } })
}
