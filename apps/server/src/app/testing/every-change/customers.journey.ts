import type { ChangeHouse } from './house.ts'
import type { Things } from './things.journey.ts'

/** Customers of the company, and whose a device is. */
export async function customers({ go }: ChangeHouse, things: Things): Promise<void> {
  const person = (username: string) => ({ body: { username, name: username, password: 'A password 4 tests' } })
  const from = await go('endUsers.create', person('customer-from'))
  const to = await go('endUsers.create', {
    body: { ...person('customer-to').body, rights: ['view', 'branding'] },
  })
  const deviceIds = [things.deviceId]
  await go('endUsers.assign', { params: { id: from.id }, body: { deviceIds } })
  await go('endUsers.transfer', {
    params: { id: from.id },
    body: { to: to.id, deviceIds, withHistory: false, withTriggers: false },
  })
  await go('endUsers.takeBack', { params: { id: to.id }, body: { deviceIds } })
  const { access_token } = await go('endUsers.enter', { params: { id: to.id } })
  await go('endUsers.setOwnBranding', {
    as: access_token,
    body: { title: 'North', titleEn: 'North', logo: '', colour: null },
  })
}
