import type { ChangeHouse } from './house.ts'
import type { Things } from './things.journey.ts'

/** Cloud pages, from the first draft to the last link, and what a visitor does on one. */
export async function cloudPages({ go }: ChangeHouse, { deviceId, productId }: Things): Promise<void> {
  const scene = {
    v: 1,
    roles: [{ key: 'pump', name: 'Pump', productId, deviceId, choices: [] }],
    nodes: [{ id: 's', kind: 'switch', events: [{ on: 'change', do: 'set', role: 'pump', point: 'a' }] }],
  }
  const page = await go('cloudPages.create', { body: { name: 'Station', suffix: 'every-change', scene } })
  const params = { id: page.id as string }
  const named = await go('cloudPages.update', {
    params,
    body: { version: page.version, name: 'North station', control: 'pin', pin: '1357' },
  })
  await go('cloudPages.saveDraft', { params, body: { version: named.version, scene } })
  await go('cloudPages.publish', { params, body: { note: 'first' } })
  const link = await go('cloudPages.createLink', { params, body: { name: 'Li', days: 7 } })
  const address = { suffix: 'every-change' }
  await go('pageVisits.signedIn', { params: address, body: {} })
  const visit = await go('pageVisits.enter', { params: address, body: {}, as: null })
  await go('pageVisits.act', {
    params: address,
    as: null,
    body: { ticket: visit.ticket, node: 's', event: 0, value: 1, pin: '1357' },
  })
  await go('cloudPages.revokeLink', { params: { ...params, linkId: link.id as string } })
  await go('cloudPages.restore', { params: { ...params, no: '1' } })
  await go('cloudPages.withdraw', { params })
  await go('cloudPages.batch', { body: { ids: [params.id], action: 'withdraw' } })
  await go('cloudPages.remove', { params })
}
