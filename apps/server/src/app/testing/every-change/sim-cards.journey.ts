import type { ChangeHouse } from './house.ts'
import type { Things } from './things.journey.ts'

/** SIM cards of a carrier that does not answer: what is asked of it stays in the queue. */
export async function simCards({ go, held, db, arranged }: ChangeHouse, { deviceId }: Things): Promise<void> {
  const account = await go('carriers.create', {
    body: {
      name: 'Cards of the west',
      kind: 'onelink',
      baseUrl: 'https://carrier.invalid/v5',
      account: '1',
      password: 'unused',
    },
  })
  const card = await go('simCards.create', { body: { connectionId: account.id, iccid: '89860412102090000017' } })
  const params = { id: card.id as string }
  await go('simCards.import', {
    body: { connectionId: account.id as string },
    file: { name: 'cards.csv', bytes: 'ICCID\n89860412102090000025\n' },
  })
  await go('simCards.update', { params, body: { version: card.version, remark: 'Spare' } })
  await go('simCards.updateMany', { body: { ids: [params.id], set: { term: 'year' } } })
  await go('simCards.bind', { params, body: { deviceId } })
  await go('simCards.sync', { params })
  await go('simCards.diagnose', { params })
  await held('a sync that the carrier did not answer')
  await arranged(db.superuser.query(`update sim_cards set state = 'active' where id = $1`, [params.id]))
  await go('simCards.operate', { params, body: { action: 'stop' } })
  await go('simCards.operateMany', { body: { ids: [params.id], action: 'stop' } })
  await go('simCards.remove', { params })
}
