import { authority } from '../../../lib/testing/authority.ts'
import type { ChangeHouse } from './house.ts'

/** The portal of a company with a host and its certificate. */
export async function apps(house: ChangeHouse): Promise<void> {
  const { go } = house
  const made = await go('webApps.create', { body: { name: 'Valves', suffix: 'valves' } })
  const params = { id: made.id }
  await go('webApps.update', { params, body: { host: 'portal.valves.example', version: made.version } })
  const ca = await authority('Test CA')
  const { pem, key } = await ca.sign('portal.valves.example')
  await go('webApps.setCertificate', { params, body: { certificate: pem, key } })
  await go('webApps.remove', { params })
}
